TRANSPORT = "stdio"
CHECKS = []
