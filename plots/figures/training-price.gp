# title: Training throughput against price per device, with the Pareto front: {model}
# like: price-performance
# finding: {leader} trains most {model} for a dollar at the lowest prices known; {second} is {gap} behind
# finding: {tied} train most {model} for a dollar at the lowest prices known
# with: model=MPT, scenario=training, tier=any
# sets: databricks price
