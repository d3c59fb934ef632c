import {
  to = hap_shoot.blue
  identity = {
    namespace = "garden-my-project" # optional: the provider's
    name      = "blue"
  }
}
