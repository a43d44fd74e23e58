# title: Training throughput, and throughput per dollar
# report: perf-per-dollar
# needs: tflop_per_s_per_device
# size: 720,130
# grow: 30 rows
# levels: device
# sets: databricks training
# Two panels: TFLOP/s per device as stated, and operations per dollar (derived). No bar: no price known.
unset key
set yrange [rows - 0.4 : -0.6] noreverse
set ytics scale 0
set grid noytics xtics
half = 0.32
name(i) = level_device[int(column(c_device_level))]
left = (14 + name_px * level_device_widest) / width
middle = left + (0.98 - left) / 2
set multiplot
set tmargin at screen 1 - head_room - 8.0 / height
set lmargin at screen left
set rmargin at screen middle - 55.0 / width
set xrange [0 : 1.02 * max_tflop_per_s_per_device]
set xlabel "TFLOP/s per device, as stated"
set xtics 100
plot $data using (0):0:(0):(column(c_tflop_per_s_per_device)):($0 - half):($0 + half):ytic(name(0)) with boxxyerror lc rgb colour[1], \
     '' using (column(c_tflop_per_s_per_device)):0:(sprintf(" %.0f", column(c_tflop_per_s_per_device))) with labels left textcolor rgb ink font ",9"
do for [i=1:heading_lines] { unset label 1000 + i }
do for [i=1:caption_lines] { unset label 2000 + i }
set lmargin at screen middle + 8.0 / width
set rmargin at screen 1 - 160.0 / width
set format y ""
set xtics 0.2
set xrange [0 : max_exaflop_per_usd > 0 ? 1.02 * max_exaflop_per_usd : 1]
set xlabel "ExaFLOP per dollar (derived)"
# 2024, or 2025-26 of a day that lies between two
year(day) = strlen(day) == 21 && day[1:4] ne day[12:15] ? day[1:4] . "-" . day[14:15] : day[1:4]
note(i) = column(c_exaflop_per_usd) == column(c_exaflop_per_usd) ? sprintf(" %.3f  %s %s", column(c_exaflop_per_usd), strcol(c_provider), year(strcol(c_price_date))) : " no price"
worth(i) = column(c_exaflop_per_usd) == column(c_exaflop_per_usd) ? column(c_exaflop_per_usd) : 0
plot $data using (0):0:(0):(worth(0)):($0 - half):($0 + half) with boxxyerror lc rgb colour[2], \
     '' using (worth(0)):0:(note(0)) with labels left textcolor rgb ink font ",9" noenhanced
unset multiplot
