# title: Roofline of this machine
# report: roofline
# size: 760,520
# The two ceilings are the best that was measured; points are kernels, marked by backend.
peak = 0; bandwidth = 0
stats $data using (strcol(c_label)[1:4] eq "peak" ? (peak = column(c_gflop_per_s)) : 0) nooutput
stats $data using (strcol(c_label) eq "bandwidth" ? (bandwidth = column(c_gb_per_s)) : 0) nooutput
set logscale xy
low = 0.05
high = 1000
set xrange [low : high]
set xlabel "operational intensity, FLOP/B" textcolor rgb ink
set ylabel "GFLOP/s" textcolor rgb ink
set format y "%g"
set format x "%g"
roof(x) = (x * bandwidth < peak) ? x * bandwidth : peak
set samples 400
set label 2 sprintf("peak %.0f GFLOP/s (best product measured)", peak) at high, 1.18 * peak right textcolor rgb ink font ",9"
top = 6 * peak
bottom = 0.15 * low * bandwidth
set yrange [bottom : top]
slope = 180 / pi * atan2((0.72 * height) / log10(top / bottom), (0.85 * width) / log10(high / low))
set label 3 sprintf("%.0f GB/s (best stream measured)", bandwidth) at 0.085, 0.12 * bandwidth left rotate by slope textcolor rgb ink font ",9"
set key top left Left reverse
is(backend) = strcol(c_kind) eq "point" && strcol(c_backend) eq backend
plot roof(x) with lines lw 2 lc rgb ink title "roof", \
     $data using (is("openblas") ? column(c_intensity_flop_per_B) : NaN):(column(c_gflop_per_s)) with points pt 7 ps 0.9 lc rgb c1 title "openblas", \
     '' using (is("ref") ? column(c_intensity_flop_per_B) : NaN):(column(c_gflop_per_s)) with points pt 6 ps 0.9 lc rgb c4 title "ref (the reference, never fast)", \
     '' using (strcol(c_kind) eq "point" && !is("openblas") && !is("ref") ? column(c_intensity_flop_per_B) : NaN):(column(c_gflop_per_s)) with points pt 9 ps 0.9 lc rgb c3 title "other backends", \
     '' using (is("openblas") ? column(c_intensity_flop_per_B) : NaN):(0.75 * column(c_gflop_per_s)):(strcol(c_label)) with labels rotate by -50 left font ",8" textcolor rgb ink noenhanced notitle
