# title: Embedding bags: bandwidth by batch
# finding: Embedding bags: {min value} to {max value} {unit} by {x_factor}
# like: sweep
# with: kernel=embedding-bag, x=batch, by=mode+bytes, only=tables=20
# sets: measured kaist
# hint: abdb run --plan kaist-embedding --backend vec
