# title: Recommendation by batch and embedding vector, as measured here
# report: recommend-beside
# needs: batch>0 samples_per_s>0
# series: _label 10
# size: 720,460
# room: 230,210
# sets: measured
# hint: abdb run --plan kaist-rm1 --scale --quick, or kaist-rm2
# A line a model and vector size. What the source states are ratios of two devices, of no batch: they stand in the report.
set xlabel "samples of an inference"
set ylabel "samples/s"
if (wide(min_batch, max_batch)) { set logscale x 2; set xrange [0.85 * min_batch : 1.18 * max_batch]; set format x "%.0f" } else { set xrange [0.9 * min_batch - 0.01 : 1.05 * max_batch + 0.01] }
from = 0.7 * min_samples_per_s; to = 1.4 * max_samples_per_s; eval log_y
plot for [i=0:series-1] $data index i using (column(c_batch)):(column(c_samples_per_s)) with linespoints lt i + 1 lw 2 title series_name[i + 1]
