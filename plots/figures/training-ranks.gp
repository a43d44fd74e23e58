# title: Data-parallel training by ranks, as measured here
# finding: Data-parallel training here is at least {min efficiency_percent} % efficient
# report: training-ranks
# needs: ranks>0 efficiency_percent>0
# series: _label 10
# size: 720,400
# room: 410,210
# narrow: 230
# sets: measured
# hint: abdb run --kernel gpt-train --backend mpi --ranks 2 --axis ranks=1,2 --axis batch=4
set xlabel "ranks"
set ylabel "efficiency, %"
set xrange [min_ranks - 0.5 : max_ranks + 0.5]
set xtics 1
set yrange [0 : 1.1 * (max_efficiency_percent > 100 ? max_efficiency_percent : 100)]
plot 100 with lines lc rgb muted dt 2 notitle, \
     for [i=0:series-1] $data index i using (column(c_ranks)):(column(c_efficiency_percent)) with linespoints lt i + 1 lw 2 title series_name[i + 1]
