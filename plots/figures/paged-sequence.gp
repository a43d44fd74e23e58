# title: Paged attention by sequence length
# finding: Paged attention: {min value} to {max value} {unit} by {x_factor}
# like: sweep
# with: kernel=paged-attention, x=sequence, by=layout+batch, metric=ms, only=padding=0
# sets: measured kaist
# hint: abdb run --plan kaist-paged --backend vec
