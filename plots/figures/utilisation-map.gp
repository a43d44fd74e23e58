# title: Utilisation of matrix products over M and N ({dtype})
# finding: Matrix products reach {min percent} to {max percent} % of the best measured here
# subtitle: Over M and N, {dtype}
# report: gemm-map
# needs: m n percent
# levels: m n
# size: 720,150
# grow: 30 n
# room: 100
# sets: measured kaist
# hint: abdb run --kernel gemm --axis m=256-2048*2 --axis n=256-2048*2
# A cell a product: percent of the best, in words too; light is low, dark is high in print and on screen.
set xlabel "M"
set ylabel "N"
set xrange [0.5 : levels_m + 0.5]
set yrange [0.5 : levels_n + 0.5]
set for [i=1:levels_m] xtics (tic_words(level_m[i]) i)
set for [i=1:levels_n] ytics (tic_words(level_n[i]) i)
unset grid
unset key
set tmargin at screen 1 - head_room - 8.0 / height
set lmargin at screen (60 + name_px * level_n_widest) / width
set rmargin at screen 1 - 125.0 / width
set cbrange [0 : 100]
set cblabel "% of the best" offset -1,0
set palette defined (0 "#fdf3d8", 50 "#56b4e9", 100 "#08306b")
plot $data using (column(c_m_level)):(column(c_n_level)):(column(c_m_level) - 0.5):(column(c_m_level) + 0.5):(column(c_n_level) - 0.5):(column(c_n_level) + 0.5):(column(c_percent)) \
     with boxxyerror fillstyle solid 1 noborder fillcolor palette notitle, \
     '' using (column(c_m_level)):(column(c_n_level)):(sprintf("%.0f", column(c_percent))):(column(c_percent) > 55 ? 0xffffff : 0x222222) with labels font ",10" textcolor rgb variable notitle
