# title: Scaling against the ideal ({source})
# report: scaling
# with: source=argonne-llm
# needs: base_devices devices speedup
# series: device 8
# size: 720,440
# sets: argonne training
# Devices / base against the speed-up, stated or recomputed; the line is the ideal, labels the efficiency.
most = 1
stats $data using (most = column(c_devices) / column(c_base_devices) > most ? column(c_devices) / column(c_base_devices) : most, 0) nooutput
set logscale xy 2
set xrange [0.9 : 1.7 * most]
set yrange [0.9 : 1.4 * most]
set xlabel "devices / devices of the base"
set ylabel "speed-up over the base"
plot x with lines lc rgb muted dt 2 title "ideal", \
     for [i=0:series-1] $data index i using (column(c_devices) / column(c_base_devices)):(column(c_speedup)) with points lt i + 1 ps 1.2 title series_name[i + 1]
