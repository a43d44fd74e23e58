# title: Achieved against the sheet
# finding: The best published run of each reaches {min percent} to {max percent} % of its stated dense peak
# subtitle: Part of the stated dense peak of the engine that is used, by workload; behind it TFLOP/s achieved of stated
# names: device
# report: peak-achieved
# with: best, quantity=peak_flops, limit=40
# needs: ceiling achieved percent
# levels: _group
# size: 720,150
# grow: 22 rows
# room: 60
# narrow: 86
# sets: ml-engineering specs
# A bar a device and number format, grouped by workload: the best that was achieved. A cross: above 100 %,
# hard to believe (abdb audit plausibility).
unset key
set border 2
unset xtics
unset grid
set ytics scale 0
array first_of[levels__group]
do for [i=1:levels__group] { first_of[i] = -1 }
g(i) = int(column(c__group_level))
# A line of room for the heading of each group.
spot(i) = $0 + g(0)
stats $data using (first_of[g(0)] = first_of[g(0)] < 0 ? spot(0) : first_of[g(0)], 1) nooutput
set yrange [rows + levels__group : -0.5] noreverse
top = max_percent > 100 ? max_percent : 100
set xrange [0 : top]
name(i) = strcol(c_device) . " " . strcol(c_dtype)
set tmargin at screen 1 - head_room - 2.0 / height
set bmargin at screen foot_room + 6.0 / height
set lmargin at screen (18 + name_px * (widest_device + widest_dtype + 1)) / width
set rmargin at screen 1 - (30 + 5.6 * (18 + (widest_what > 28 ? 28 : widest_what))) / width
do for [i=1:levels__group] { set label 700 + i level__group[i] at screen left_edge, first first_of[i] - 1 left textcolor rgb ink font bold . ",10.5" noenhanced }
# Narrow: what was achieved stands below the name.
below = 6 + (widest_what > 20 ? 20 : widest_what) + 12
if (narrow) { set lmargin at screen (18 + 4.7 * below) / width; set rmargin at screen 1 - 48.0 / width; set ytics format "" }
half = 0.34
fine(i) = column(c_percent) <= 100.5
digits(v) = v < 10 ? sprintf("%.2g", v) : sprintf("%.0f", v)
text(i) = sprintf(" %.0f %%   %s of %s, %.28s", column(c_percent), digits(column(c_achieved)), digits(column(c_ceiling)), strcol(c__group) eq "Matrix products" ? strcol(c_source) : strcol(c_what))
beside(i) = sprintf(" %.0f %%", column(c_percent))
detail(i) = sprintf("%s of %s, %.20s", digits(column(c_achieved)), digits(column(c_ceiling)), strcol(c__group) eq "Matrix products" ? strcol(c_source) : strcol(c_what))
shown(i) = narrow ? "" : name(0)
label_of(i) = narrow ? beside(0) : text(0)
plot $data using (0):(spot(0)):(0):(top):(spot(0) - half):(spot(0) + half):ytic(shown(0)) with boxxyerror lc rgb faint fs solid 1, \
     '' using (0):(spot(0)):(0):(column(c_percent)):(spot(0) - half):(spot(0) + half):(tint(colour[1])) with boxxyerror lc rgb variable, \
     '' using (fine(0) ? NaN : column(c_percent)):(spot(0)) with points pt 2 ps 1 lw 2 lc rgb colour[4], \
     '' using (top):(spot(0)):(label_of(0)) with labels left font ",9" textcolor rgb ink noenhanced, \
     '' using (narrow ? 0 : NaN):(spot(0) - 0.2):(name(0)) with labels right offset -0.6,0 font ",9" textcolor rgb ink noenhanced, \
     '' using (narrow ? 0 : NaN):(spot(0) + 0.24):(detail(0)) with labels right offset -0.6,0 font ",8" textcolor rgb muted noenhanced
