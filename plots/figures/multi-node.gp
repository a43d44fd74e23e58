# title: Multi-node training: throughput by number of devices, with the ideal
# finding: Training on several nodes keeps {min percent} % or more of the ideal throughput
# like: scaling-throughput
# with: source=databricks-gaudi2
# sets: databricks training
