# title: Paged attention by padding: useful bandwidth of a padded table and of a list
# finding: Paged attention, useful bytes: {min value} to {max value} {unit} by {x_factor}
# like: sweep
# with: kernel=paged-attention, x=padding, by=layout+dtype, only=sequence=4096
# sets: measured kaist
# hint: abdb run --plan kaist-paged --backend vec
