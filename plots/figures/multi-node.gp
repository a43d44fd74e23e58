# title: Multi-node training: throughput by number of devices, with the ideal
# like: scaling-throughput
# with: source=databricks-gaudi2
# sets: databricks training
