# title: Nodes against their peers {tag}
# report: fleet
# needs: ratio>0
# levels: node
# size: 720,130
# grow: 22 rows
# room: 190
# narrow: 100
# sets: measured
# hint: several nodes that measured the same cells: abdb run --node NAME --repeat 5 on each, or abdb run --slurm
# A row a node, and a cell of it that differs: time / that of the peers with its 99.9 % interval; to the right of 1 it is slower. Filled:
# a difference with evidence, hollow: none, a bar: within 1 % of the peers.
set xlabel "time / that of the peers"
set ytics scale 0
set grid xtics
label = level_node_widest + (exists("widest_cell") && widest_cell > 1 ? widest_cell + 2 : 0)
label = label > 40 ? 40 : label
set lmargin at screen (14 + name_px * label) / width
set rmargin at screen 1 - 120.0 / width
edge(x) = (left = x > 0 && x < left ? x : left, right = x > 0 && x > right ? x : right, 0)
left = 0.97; right = 1.03
stats $data using (edge(column(c_ratio)) + edge(column(c_low)) + edge(column(c_high))) nooutput
set yrange [rows - 0.4 : -0.6] noreverse
if (right / left < 2.5) { set xrange [left - 0.03 * (right - left) : right + 0.03 * (right - left)]; set format x "%.2f" } else { from = left / 1.03; to = right * 1.03; eval log_x }
set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb ink dt 2
key_entries = 4; key_widest = 7; eval lay_key
array point[4]
point[1] = 7; point[2] = 5; point[3] = 2; point[4] = 6
kind(i) = strcol(c_verdict) eq "slower" ? 1 : strcol(c_verdict) eq "faster" ? 2 : strcol(c_verdict) eq "same" ? 3 : 4
is(k) = kind(0) == k
shown(text) = strlen(text) > 40 ? substr(text, 1, 37) . "..." : text
name(i) = shown(strcol(c_node) . (none(strcol(c_cell)) ? "" : ": " . strcol(c_cell)))
plot $data using (column(c_ratio)):0:(column(c_low)):(column(c_high)):ytic(name(0)) with xerrorbars dt 1 lc rgb colour[1] lw 1.5 ps 0 notitle, \
     for [k=1:4] '' using (is(k) ? column(c_ratio) : NaN):0 with points pt point[k] ps 1 lw 1.5 lc rgb colour[k == 1 ? 4 : 1] title word("slower faster same unclear", k), \
     '' using (right + 0.03 * (right - left)):0:(sprintf("  %.3f %s", column(c_ratio), strcol(c_verdict))) with labels left font ",9" textcolor rgb ink noenhanced notitle
