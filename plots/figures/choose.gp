# title: Cheapest systems for {rate}
# finding: {leader} is the cheapest for {rate} of {work} {scenario}: {best} USD per hour; {second} costs {gap} more
# finding: {tied} are the cheapest for {rate} of {work} {scenario}: {best} USD per hour
# finding: {only} alone can be chosen for {rate} of {work} {scenario}: {best} USD per hour
# subtitle: USD per hour† of whole systems {_prices}; pale: unused; circle: highest offer
# ranks: usd_per_hour device low
# report: choose
# with: rate=100k/s
# needs: usd_per_hour>0
# levels: device
# size: 720,92
# grow: 24 rows
# room: 350
# narrow: 120
# sets: mlperf price
# hint: give prices by --price 'B200-SXM=4 USD/h', or import some
# A bar a purchase, cheapest first: what all that is rented costs an hour at the lowest price, or what the training
# costs; pale is what the wanted rate leaves unused. A dotted line leads to a circle, what they cost at the highest offer.
# Behind it: the cost, and how many devices that takes (and how long).
trains(n) = column(c_usd_of_run) > 0
cost(n) = trains(0) ? column(c_usd_of_run) : column(c_usd_per_hour)
dear(n) = column(c_dearest) > 0 ? cost(0) * column(c_rented) * column(c_dearest) / column(c_usd_per_hour) : cost(0)
money(x) = x < 999.5 ? sprintf("%.3g", x) : sprintf("%d,%03d", int(x + 0.5) / 1000, int(x + 0.5) % 1000)
busy(n) = column(c_used) > 0 ? column(c_used) * cost(0) : cost(0)
said(n) = sprintf(narrow ? "  %s %s\n  %d device%s" : "  %s %s: %d device%s", money(cost(0)), trains(0) ? "USD" : "USD/h", column(c_devices), column(c_devices) == 1 ? "" : "s") . (column(c_used) < 0.5 ? sprintf(", %.0f %% used", 100 * column(c_used)) : "")
stats $data using (cost(0)) name "cost" nooutput
stats $data using (dear(0)) name "dear" nooutput
stats $data using (trains(0)) name "trains" nooutput
stats $data using (strcol(c_how) eq "owned") name "owned" nooutput
set yrange [rows + 0.5 : 0.5] noreverse
set ytics scale 0
set border 3
unset key
set tmargin at screen 1 - head_room - 2.0 / height
set bmargin at screen foot_room + 46.0 / height
set xlabel (trains_max > 0 ? "USD of one training" : "USD per hour")
set grid xtics noytics
set xrange [0 : (narrow ? 2.2 : 1.5) * dear_max]
set lmargin at screen (24 + name_px * (level_device_widest + (owned_max > 0 || !narrow ? 7 : 0))) / width
label(n) = sprintf("%s%s", strcol(c_device), strcol(c_how) eq "owned" ? " owned" : "")
plot $data using (0):(column(c_place)):(0):(cost(0)):(column(c_place) - 0.32):(column(c_place) + 0.32):(tint(colour[1])):ytic(label(0)) with boxxyerror fs transparent solid 0.35 noborder lc rgb variable notitle, \
     '' using (0):(column(c_place)):(0):(busy(0)):(column(c_place) - 0.32):(column(c_place) + 0.32):(tint(colour[1])) with boxxyerror fs solid 1 noborder lc rgb variable notitle, \
     '' using (cost(0)):(column(c_place)):(dear(0) - cost(0)):(0) with vectors nohead lw 1.2 dt 3 lc rgb ink notitle, \
     '' using (dear(0) > 1.001 * cost(0) ? dear(0) : NaN):(column(c_place)) with points pt 6 ps 0.9 lw 1.2 lc rgb ink notitle, \
     '' using (dear(0)):(column(c_place)):(said(0) . (trains(0) ? sprintf(", %.3g min", column(c_minutes)) : "")) with labels left offset 0.2,(narrow ? 0.6 : 0) font ",9" tc rgb ink noenhanced notitle
