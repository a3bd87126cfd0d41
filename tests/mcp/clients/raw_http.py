TRANSPORT = "http"
CHECKS = []
