# title: Transformer block of GPT-2 XL by batch: forward and backward
# finding: A transformer block of GPT-2 XL: {min value} to {max value} {unit} by {x_factor}
# like: sweep
# with: kernel=transformer-block, x=batch, by=pass+dtype, metric=gop_per_s
# sets: measured argonne
# hint: abdb run --plan argonne-block --backend vec
