# title: Dense peak by number format
# report: peaks
# with: source=ml-engineering-2026
# needs: tera_per_s
# levels: device dtype
# size: 720,130
# grow: 22 device
# sets: ml-engineering specs
# A row a device, a mark a number format, on a logarithmic axis. Hollow marks: integers.
set xlabel "T/s, dense, per card (TFLOP/s; TOP/s for integers), as stated"
from = 0.7 * min_tera_per_s; to = 1.5 * max_tera_per_s; eval log_x
set yrange [levels_device + 0.5 : 0.5] noreverse
set for [i=1:levels_device] ytics (tic_words(level_device[i]) i)
set ytics scale 0
key_entries = levels_dtype; key_widest = 5; eval lay_key
set grid xtics ytics
set lmargin at screen (14 + name_px * level_device_widest) / width
is(k) = int(column(c_dtype_level)) == k
plot for [k=1:levels_dtype] $data using (is(k) ? column(c_tera_per_s) : NaN):(column(c_device_level)) with points lt k ps 1 title level_dtype[k]
