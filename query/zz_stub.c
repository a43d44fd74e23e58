#include "query/cli.h"
int abdb_cmd_run(int c,char**v){(void)c;(void)v;return 6;}
int abdb_cmd_plot(int c,char**v){(void)c;(void)v;return 6;}
int abdb_cmd_doctor(int c,char**v){(void)c;(void)v;return 6;}
