# style.gp - one look for all figures. Colours by Okabe and Ito, apart for the colour-blind, ordered by
# lightness so that grey print keeps them apart.
ink   = dark ? "#e6e6e6" : "#222222"
faint = dark ? "#44484f" : "#d9d9d9"
c1 = dark ? "#56b4e9" : "#0072b2"
c2 = "#e69f00"
c3 = "#009e73"
c4 = "#d55e00"
c5 = "#cc79a7"
set border 3 lc rgb ink lw 1
set tics nomirror textcolor rgb ink scale 0.5
set label 99 heading at screen 0.01, screen 0.965 left textcolor rgb ink font ",13" noenhanced
set tmargin 1.2 + 1.4 * heading_lines
set key textcolor rgb ink noenhanced samplen 2
set grid lc rgb faint lw 0.5 lt 1
set label 1 caption at screen 0.01, char 0.4 + 0.72 * caption_lines textcolor rgb ink font ",7.5" noenhanced
set bmargin 4 + 0.75 * caption_lines
