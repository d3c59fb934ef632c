# the name of the Shoot
terraform import hap_shoot.blue blue
