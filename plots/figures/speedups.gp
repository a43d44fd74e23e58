# title: Performance and energy efficiency against a base, as stated ({source})
# finding: {device} reaches {min ratio} to {max ratio} times the {base}, as stated
# subtitle: Times the {base}: performance and energy efficiency of the {device}; what is left of the line is worse
# report: speedups
# with: source=kaist-gaudi2
# needs: ratio>0
# levels: what
# size: 720,110
# grow: 22 rows
# room: 130
# sets: kaist
# A bar a statement from the base, which is 1: to the right it is better. Stated values, so there are no
# error bars.
base = ""
stats $data using (base = strcol(c_base), 1) nooutput
set yrange [rows - 0.4 : -0.6] noreverse
set ytics scale 0
unset grid
unset xtics
set border 0
key_entries = 2; key_widest = 18; eval lay_key
half = 0.36
low = min_ratio < 1 ? min_ratio : 1
set xrange [low - 0.16 * (max_ratio - low) : max_ratio + 0.1 * (max_ratio - low)]
name(i) = strcol(c_what) . (strcol(c_statistic) eq "mean" ? "" : " (" . strcol(c_statistic) . ")")
set bmargin at screen foot_room + 24.0 / height
set lmargin at screen (14 + name_px * (widest_what + 7)) / width
set rmargin at screen 1 - 24.0 / width
set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb ink lw 1.2 front
set label 500 "the " . base at 1, graph 0 center offset 0,-0.8 font ",9" textcolor rgb ink noenhanced
is(k) = strcol(c_quantity) eq word("performance energy", k) . (k == 2 ? " efficiency" : "")
worth(k) = is(k) ? column(c_ratio) : 1
better(i) = column(c_ratio) >= 1
text(i) = sprintf(" %.2f ", column(c_ratio))
plot for [k=1:2] $data using (1):0:(worth(k) < 1 ? worth(k) : 1):(worth(k) > 1 ? worth(k) : 1):($0 - half):($0 + half):ytic(name(0)) with boxxyerror lc rgb colour[k] title word("performance energy", k) . (k == 2 ? " efficiency" : ""), \
     '' using (better(0) ? column(c_ratio) : NaN):0:(text(0)) with labels left font bold . ",9" textcolor rgb ink notitle, \
     '' using (better(0) ? NaN : column(c_ratio)):0:(text(0)) with labels right font bold . ",9" textcolor rgb ink notitle
