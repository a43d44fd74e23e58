# title: Training throughput, and throughput per dollar
# finding: {leader} trains {model} fastest, at {best} TFLOP/s per device in {dtype}; {second} is {gap} behind; the best of another vendor, {rival}, {rival_gap}
# finding: {leader} trains {model} fastest, at {best} TFLOP/s per device in {dtype}; {second} is {gap} behind
# finding: {tied} train {model} fastest, at {best} TFLOP/s per device in {dtype}
# subtitle: Left TFLOP/s per device for {model} in {dtype}, as stated; right, and in that order, ExaFLOP per dollar†
# ranks: tflop_per_s_per_device device
# report: perf-per-dollar
# needs: tflop_per_s_per_device>0
# size: 720,96
# grow: 28 rows
# room: 60
# levels: device
# sets: databricks training
# Two panels: TFLOP/s per device as stated, and operations per dollar (derived). No bar: no price known.
unset key
set border 2
unset xtics
unset grid
set yrange [rows - 0.4 : -0.6] noreverse
set ytics scale 0
half = 0.34
name(i) = level_device[int(column(c_device_level))]
left = (14 + name_px * level_device_widest) / width
middle = left + 0.42 * (1 - left)
set multiplot
set tmargin at screen 1 - head_room - 2.0 / height
set bmargin at screen foot_room + 8.0 / height
set lmargin at screen left
set rmargin at screen middle - 48.0 / width
set xrange [0 : max_tflop_per_s_per_device]
plot $data using (0):0:(0):(column(c_tflop_per_s_per_device)):($0 - half):($0 + half):(tint(colour[1])):ytic(name(0)) with boxxyerror lc rgb variable, \
     '' using (column(c_tflop_per_s_per_device)):0:(sprintf(" %.0f", column(c_tflop_per_s_per_device))) with labels left textcolor rgb ink font bold . ",10"
eval no_words
set lmargin at screen middle
set rmargin at screen 1 - 200.0 / width
set format y ""
set xrange [0 : max_exaflop_per_usd > 0 ? max_exaflop_per_usd : 1]
# 2024, or 2025-26 of a day that lies between two
year(day) = strlen(day) == 21 && day[1:4] ne day[12:15] ? day[1:4] . "-" . day[14:15] : day[1:4]
priced(i) = column(c_exaflop_per_usd) == column(c_exaflop_per_usd)
note(i) = priced(0) ? sprintf(" %.2f   $%.2f/h, %s %s", column(c_exaflop_per_usd), column(c_usd_per_device_hour), strcol(c_provider), year(strcol(c_price_date))) : " no price known"
worth(i) = priced(0) ? column(c_exaflop_per_usd) : 0
plot $data using (0):0:(0):(worth(0)):($0 - half):($0 + half):(tint(colour[2])) with boxxyerror lc rgb variable, \
     '' using (worth(0)):0:(note(0)) with labels left textcolor rgb ink font ",9" noenhanced
unset multiplot
