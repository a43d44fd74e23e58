# title: Achieved against the sheet
# report: peak-achieved
# with: best, quantity=peak_flops, limit=28
# needs: ceiling achieved
# size: 720,130
# grow: 20 rows
# sets: ml-engineering specs
# A row a device and number format: hollow the stated dense peak, filled what was achieved, with the
# fraction and what ran. Above 100 %: hard to believe, marked by a cross (abdb audit plausibility).
from = 0.5 * min_achieved; to = 1.4 * (max_ceiling > max_achieved ? max_ceiling : max_achieved); eval log_x
set xlabel "TFLOP/s per device"
set yrange [rows - 0.4 : -0.6] noreverse
set ytics scale 0
set grid xtics ytics
name(i) = strcol(c_device) . " " . strcol(c_dtype)
set lmargin at screen (14 + name_px * (widest_device + widest_dtype + 1)) / width
set rmargin at screen 1 - (24 + 6.0 * (14 + (widest_what > 30 ? 30 : widest_what))) / width
fine(i) = column(c_percent) <= 100.5
plot $data using (column(c_achieved)):0:(column(c_ceiling) - column(c_achieved)):(0):ytic(name(0)) with vectors nohead lc rgb faint lw 2 notitle, \
     '' using (column(c_ceiling)):0 with points pt 6 ps 1 lw 1.5 lc rgb ink title "stated dense peak", \
     '' using (fine(0) ? column(c_achieved) : NaN):0 with points pt 7 ps 1 lc rgb colour[1] title "achieved", \
     '' using (fine(0) ? NaN : column(c_achieved)):0 with points pt 2 ps 1 lw 2 lc rgb colour[4] title "above the sheet", \
     '' using (column(c_ceiling) > column(c_achieved) ? column(c_ceiling) : column(c_achieved)):0:(sprintf("   %.0f %%  %.30s", column(c_percent), strcol(c_what))) with labels left font ",9" textcolor rgb ink noenhanced notitle
