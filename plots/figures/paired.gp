# title: {contender} against {baseline}, cell by cell
# report: paired
# needs: ratio>0
# levels: what
# size: 720,130
# grow: 22 rows
# room: 80
# narrow: 50
# sets: measured
# hint: two sets to compare: abdb plot paired --baseline tag=before --contender tag=after
# A row a pair: ratio with its 99.9 % interval where there are processes enough; filled: a difference with evidence;
# hollow: none, or too few samples; a square: stated single values. Crosses: exploratory, no rule permits it.
set xlabel "contender / baseline"
set ytics scale 0
set grid xtics
set lmargin at screen (14 + name_px * level_what_widest) / width
set rmargin at screen 1 - (exists("widest_exploratory") && widest_exploratory > 1 ? 170.0 : 120.0) / width
edge(x) = (left = x > 0 && x < left ? x : left, right = x > 0 && x > right ? x : right, 0)
left = 0.97; right = 1.03
stats $data using (edge(column(c_ratio)) + edge(column(c_low)) + edge(column(c_high))) nooutput
set yrange [rows - 0.4 : -0.6] noreverse
if (right / left < 1.3) { set logscale x; set xrange [left / 1.03 : right * 1.03]; set format x "%.2f"; set xtics 0.01, 1.05 } else { from = left / 1.03; to = right * 1.03; eval log_x }
set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb ink dt 2
key_entries = 4; key_widest = 14; eval lay_key
array point[4]
point[1] = 7; point[2] = 6; point[3] = 4; point[4] = 2
kind(i) = !none(strcol(c_exploratory)) ? 4 : strcol(c_verdict) eq "stated" ? 3 : (strcol(c_verdict) eq "faster" || strcol(c_verdict) eq "slower") ? 1 : 2
is(k) = kind(0) == k
plot $data using (column(c_ratio)):0:(column(c_low)):(column(c_high)):ytic(level_what[int(column(c_what_level))]) with xerrorbars dt 1 lc rgb colour[1] lw 1.5 ps 0 notitle, \
     for [k=1:4] '' using (is(k) ? column(c_ratio) : NaN):0 with points pt point[k] ps 1 lw 1.5 lc rgb colour[k == 4 ? 4 : 1] title word("evidence undecided stated exploratory", k), \
     '' using (right * 1.03):0:(sprintf("  %.3f %s", column(c_ratio), none(strcol(c_exploratory)) ? strcol(c_verdict) : "EXPLORATORY")) with labels left font ",9" textcolor rgb ink noenhanced notitle
