# title: Where the time goes {workload} {tag}
# report: breakdown
# needs: ms>0
# levels: cell
# size: 720,130
# grow: 22 rows
# room: 130
# sets: measured
# hint: abdb run --plan all --quick, then abdb run --plan ceilings --quick for the roofs
# A row a part, in the order of the workload: its time, and within it what it would take at its roof.
set xlabel "ms of one repetition"
set yrange [rows - 0.4 : -0.6] noreverse
set ytics scale 0
set grid xtics
# of which cell, where there are several: what they do not share
name(i) = (levels_cell > 1 ? level_cell[int(column(c_cell_level))] . ": " : "") . (none(strcol(c_phase)) ? "" : strcol(c_phase) . ", ") . strcol(c_part)
set lmargin at screen (14 + name_px * ((levels_cell > 1 ? level_cell_widest : 0) + widest_part + widest_phase + 2)) / width
set xrange [0 : 1.2 * max_ms]
key_entries = 2; key_widest = 26; eval lay_key
set style fill solid 1 noborder
row(i) = column(0)
at_roof(i) = column(c_roof_ms) >= 0 ? (column(c_roof_ms) < column(c_ms) ? column(c_roof_ms) : column(c_ms)) : NaN
plot $data using (0):0:(0):(column(c_ms)):(row(0) - 0.36):(row(0) + 0.36):ytic(name(0)) with boxxyerror lc rgb muted title "time", \
     '' using (0):0:(0):(at_roof(0)):(row(0) - 0.2):(row(0) + 0.2) with boxxyerror lc rgb colour[1] title "of which at the roof", \
     '' using (column(c_ms)):0:(sprintf("  %.1f %%", column(c_share_percent))) with labels left font ",9" textcolor rgb ink noenhanced notitle
