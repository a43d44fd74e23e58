/* power_defaults.h - watts that MLPerf Endpoints takes where a system_power.json states none:
 * Appendix D of its rules, as in endpoints-submission-cli (Apache-2.0), power_defaults.py. */
#ifndef ABDB_INGEST_POWER_DEFAULTS_H
#define ABDB_INGEST_POWER_DEFAULTS_H

typedef struct {
    double watts;      /* NAN: Appendix D has none */
    const char *place; /* "D.2" */
} abdb_power_default;

/* D.2: of one processor, by architecture and cores (in the name, or cores > 0). */
abdb_power_default abdb_power_default_of_processor(const char *model, double cores);
/* D.3: of one accelerator. */
abdb_power_default abdb_power_default_of_accelerator(const char *model);
/* D.4: of one switch of the fabric between nodes; cabling: passive or active_optical. */
abdb_power_default abdb_power_default_of_switch(const char *model, const char *cabling);
/* D.4: of one network adapter. */
abdb_power_default abdb_power_default_of_network_adapter(void);

#endif
