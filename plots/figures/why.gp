# title: A ratio as a product of its factors
# finding: {side_b} against {side_a}: {max ratio} times, as a product of its factors
# subtitle: {work} {scenario} in {unit}; a bar a factor, log axis; each begins where the one above ends
# report: why
# needs: place>0 times>0 product>0 ratio>0
# levels: factor
# size: 720,120
# grow: 34 rows
# room: 160
# sets: mlperf
# hint: name two selections by --baseline and --contender, as for abdb compare
# A waterfall: a bar a factor, from the product of those above it to the product with it; below all of them the ratio.
unset key
from_product(n) = column(c_product) / column(c_times)
lowest(n) = from_product(0) < column(c_product) ? from_product(0) : column(c_product)
highest(n) = from_product(0) < column(c_product) ? column(c_product) : from_product(0)
stats $data using (lowest(0)) name "low" nooutput
stats $data using (highest(0)) name "high" nooutput
stats $data using (column(c_ratio)) name "all" nooutput
least = low_min < 1 ? low_min : 1
most = high_max > 1 ? high_max : 1
# Right of the longest bar is room for its words; where that is more than half of the width they are shortened.
brief(text) = strlen(text) > 26 ? text[1:25] . "…" : text
whole(n) = sprintf("× %.3g   %s → %s", column(c_times), brief(strcol(c_a)), brief(strcol(c_b)))
names = 14 + name_px * (level_factor_widest > 6 ? level_factor_widest : 6)
area = width - names - 18.0
stats $data using (5.6 * strlen(whole(0)) + 12) name "words" nooutput
short = words_max > 0.55 * area
part = (short ? 70.0 : words_max) / area
said(n) = short ? sprintf("× %.3g", column(c_times)) : whole(0)
most = most / least < 1.05 ? least * 1.05 : most
from = least / (most / least) ** 0.06; to = most * (most / least) ** (1.1 * part / (1 - part)); eval log_x
set yrange [rows + 1.6 : 0.4] noreverse
set ytics scale 0
set border 1
set tmargin at screen 1 - head_room - 2.0 / height
set bmargin at screen foot_room + 46.0 / height
set xlabel "times the baseline, log axis"
unset grid
set grid xtics lc rgb faint lw 0.6 lt 1 dt 1
set lmargin at screen names / width
set style textbox opaque margins 0.2,0.2 fillcolor rgb ground noborder
set arrow 90 from first 1, graph 0 to first 1, graph 1 nohead lc rgb muted lw 1 dt 2
set ytics ()
plot $data using (0):(column(c_place)):(lowest(0)):(highest(0)):(column(c_place) - 0.32):(column(c_place) + 0.32):(tint(column(c_times) < 1 ? colour[4] : colour[1])):ytic(tic_words(strcol(c_factor))) with boxxyerror fs solid 1 noborder lc rgb variable notitle, \
     '' using (highest(0)):(column(c_place)):(said(0)) with labels left offset 0.8,0 font ",9" tc rgb ink noenhanced boxed notitle, \
     '' using (0):(rows + 1):(all_min < 1 ? all_min : 1):(all_min < 1 ? 1 : all_min):(rows + 0.68):(rows + 1.32):(hex(muted)):ytic("ratio") with boxxyerror fs solid 1 noborder lc rgb variable notitle, \
     '' using (column(c_place) == 1 ? (all_min > 1 ? all_min : 1) : NaN):(rows + 1):(sprintf("%.3g times", all_min)) with labels left offset 0.8,0 font ",9" tc rgb ink noenhanced boxed notitle
