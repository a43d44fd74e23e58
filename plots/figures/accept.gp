# title: Devices and nodes beside others of their kind {tag}
# subtitle: A row a check, a dot a device or node: here / lowest of others, or / mean of its peers
# report: accept
# with: each=1
# needs: relative>0
# levels: check
# size: 720,150
# grow: 34 check
# room: 325
# narrow: 170
# sets: measured
# hint: abdb accept FOLDER --plot FILE, or abdb plot accept --tag NAME
# Filled: slow, with its name; hollow: normal; plus: cannot tell. Grey: the range of others, from 1 to the right; a short line: below it
# few others are no doubt.
set xlabel "here / lowest of others, or mean of peers; to the left slower"
set ytics scale 0
set grid xtics
label = level_check_widest > 44 ? 44 : level_check_widest
set lmargin at screen (16 + name_px * label) / width
edge(x) = (left = x > 0 && x < left ? x : left, right = x > 0 && x > right ? x : right, 0)
left = 0.97; right = 1.03
stats $data using (edge(column(c_relative)) + edge(column(c_relative_top)) + edge(column(c_floor))) nooutput
set yrange [levels_check + 0.5 : 0.5] noreverse
set xrange [left - 0.06 * (right - left) : right + 0.06 * (right - left)]
set format x "%.2f"
set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb ink dt 2
set ytics ()
do for [i=1:levels_check] { set ytics add ((strlen(level_check[i]) > 44 ? substr(level_check[i], 1, 41) . "..." : level_check[i]) i) }
key_entries = 3; key_widest = 11; eval lay_key
is(text) = strcol(c_verdict) eq text
# Dots of one check are spread a little, in the order of the rows, so that equal ones are seen.
place(i) = column(c_check_level) + 0.22 * (int(column(0)) % 3 - 1)
plot $data using (column(c_relative_top) > 0 ? 1 : NaN):(column(c_check_level)):(column(c_relative_top) - 1):(0) with vectors nohead lc rgb faint lw 12 notitle, \
     '' using (column(c_floor) > 0 ? column(c_floor) : NaN):(column(c_check_level) - 0.35):(0):(0.7) with vectors nohead lc rgb colour[4] lw 1.5 notitle, \
     '' using (is("normal") ? column(c_relative) : NaN):(place(0)) with points pt 6 ps 1 lw 1.5 lc rgb colour[1] title "normal", \
     '' using (is("cannot tell") ? column(c_relative) : NaN):(place(0)) with points pt 1 ps 1 lw 1.5 lc rgb colour[2] title "cannot tell", \
     '' using (is("slow") ? column(c_relative) : NaN):(place(0)) with points pt 7 ps 1 lc rgb colour[4] title "slow", \
     '' using (is("slow") ? column(c_relative) : NaN):(place(0)):(" " . (strlen(strcol(c_unit)) > 16 ? substr(strcol(c_unit), 1, 15) : strcol(c_unit))) with labels rotate by 35 left font ",8" textcolor rgb ink noenhanced notitle
