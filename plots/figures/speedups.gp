# title: Performance and energy efficiency against a base, as stated ({source})
# report: speedups
# with: source=kaist-gaudi2
# needs: ratio
# levels: what
# size: 720,130
# grow: 22 rows
# sets: kaist
# A bar a statement: above 1 is better than the base. Stated values, so there are no error bars.
set yrange [rows - 0.4 : -0.6] noreverse
set xrange [0 : 1.12 * max_ratio]
set xlabel "of the base, as stated"
set ytics scale 0
set grid noytics xtics
key_entries = 2; key_widest = 18; eval lay_key
half = 0.36
name(i) = strcol(c_what) . (strcol(c_statistic) eq "mean" ? "" : " (" . strcol(c_statistic) . ")")
set lmargin at screen (14 + name_px * (widest_what + 7)) / width
set rmargin at screen 1 - 110.0 / width
set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb ink dt 2 back
is(k) = strcol(c_quantity) eq word("performance energy", k) . (k == 2 ? " efficiency" : "")
worth(k) = is(k) ? column(c_ratio) : 0
plot for [k=1:2] $data using (0):0:(0):(worth(k)):($0 - half):($0 + half):ytic(name(0)) with boxxyerror lc rgb colour[k] title word("performance energy", k) . (k == 2 ? " efficiency" : ""), \
     '' using (column(c_ratio)):0:(sprintf(" %.2f  (%s)", column(c_ratio), strcol(c_stated))) with labels left font ",9" textcolor rgb ink noenhanced notitle
