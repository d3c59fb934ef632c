import {
  to = hap_shoot.blue
  id = "blue" # the name of the Shoot
}
