# title: Dense peak by number format
# finding: {leader} states the highest dense bf16 peak, {best} TFLOP/s; {second} is {gap} behind
# finding: {tied} state the highest dense bf16 peak, {best} TFLOP/s
# subtitle: Stated dense peak per card, T/s, by number format; hollow: integers
# ranks: tera_per_s device of dtype=bf16
# report: peaks
# with: source=ml-engineering-2026
# needs: tera_per_s>0
# levels: device dtype
# size: 720,130
# grow: 21 device
# room: 180
# sets: ml-engineering specs
# A row a device, a mark a number format, joined, on a logarithmic axis. Formats of one rate stand a
# little above one another. Hollow marks: integers.
array least[levels_device]; array most[levels_device]
do for [i=1:levels_device] { least[i] = 1e99; most[i] = 0 }
l(i) = int(column(c_device_level))
stats $data using (least[l(0)] = column(c_tera_per_s) < least[l(0)] ? column(c_tera_per_s) : least[l(0)], most[l(0)] = column(c_tera_per_s) > most[l(0)] ? column(c_tera_per_s) : most[l(0)], 1) nooutput
from = 0.7 * min_tera_per_s; to = 1.5 * max_tera_per_s; eval log_x
set yrange [levels_device + 0.6 : 0.4] noreverse
set for [i=1:levels_device] ytics (tic_words(level_device[i]) i)
set ytics scale 0
set border 1
key_entries = levels_dtype; key_widest = 5; eval lay_key
set key samplen 1
set bmargin at screen foot_room + 28.0 / height
set grid xtics noytics
set lmargin at screen (14 + name_px * level_device_widest) / width
is(k) = int(column(c_dtype_level)) == k
whole(k) = strstrt(level_dtype[k], "int") == 1
do for [i=1:levels_device] { set arrow 100 + i from least[i], i to most[i], i nohead lc rgb faint lw 2.5 back }
raise(k) = 0.16 * ((k - 1) % 3 - 1)
plot for [k=1:levels_dtype] $data using (is(k) ? column(c_tera_per_s) : NaN):(column(c_device_level) + raise(k)):(column(c_lit) == 0 ? hex(dim) : hex(colour[(k - 1) % 8 + 1])) with points pt (whole(k) ? 6 : mark[(k - 1) % 5 + 1]) ps 0.9 lw 1.4 lc rgb variable notitle, \
     for [k=1:levels_dtype] NaN with points pt (whole(k) ? 6 : mark[(k - 1) % 5 + 1]) ps 0.9 lw 1.4 lc rgb colour[(k - 1) % 8 + 1] title level_dtype[k]
