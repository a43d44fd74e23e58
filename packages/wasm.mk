# wasm.mk - abdb.wasm: the verbs that answer, for browsers and for systems without a port. Included by the Makefile.
#
# Compiled by clang for WASI, read-only, from the files of the program; packages/wasm stands for what it lacks when it
# is linked. WITH_wasm=auto: built where compiler, libraries and sources are; `make wasm` brings them.
WASM_CC      ?= clang
WASM_SOURCES ?= build/wasm/sources
WASM_DEBS    := clang lld wasi-libc libclang-rt-dev-wasm32 nodejs tcl dpkg-dev
WITH_wasm    ?= $(if $(SANITIZE),no,auto)
WASM_LINK    := --target=wasm32-wasi --sysroot=/usr
ifeq ($(WITH_wasm),no)
HAVE_wasm := no
else
HAVE_wasm := $(shell [ -e $(WASM_SOURCES)/sqlite3.c ] && d=$$(mktemp -d) && echo 'int main(void){return 0;}' >$$d/p.c \
    && $(WASM_CC) $(WASM_LINK) $$d/p.c -o $$d/p >/dev/null 2>&1 && echo yes || echo no; rm -rf $$d)
ifeq ($(WITH_wasm)$(HAVE_wasm)$(filter wasm deps clean help,$(MAKECMDGOALS)),yesno)
$(error WITH_wasm=yes, but $(WASM_CC) does not compile for wasm32-wasi, or $(WASM_SOURCES) is empty: `make wasm`)
endif
endif

# sha256.c stands for libcrypto, readonly_vfs.c for SQLite's files, posix.c for what wasi-libc lacks, absent.c for the
# rest.
WASM_VERBS := audit choose compare explain help query rank why
WASM_FILES := $(filter-out %/child_process.c %/child_output.c %/orphans.c %/sink_thread.c %/relay.c \
    %/memory_file.c,$(CORE)) $(STORE) \
    $(filter-out %/bundle_manifest.c %/bundle_manifest_verify.c %/plot_bundle.c %/plot_figure.c %/provenance_verify.c \
    %/ssh_signature.c,$(wildcard query/answer/*.c)) \
    $(wildcard query/compare/*.c) query/cli/command_line.c query/cli/commands.c query/help/map_page.c \
    query/help/report_catalog.c \
    $(filter-out %/extension.c %/csv.c %/archive.c %/measure.c,$(wildcard query/sql_tables/*.c)) \
    ingest/format_help.c plots/figure.c plots/figure_data.c plots/sanitize.c \
    $(WASM_VERBS:%=query/verbs/cmd_%.c) $(addprefix query/verbs/,main.c json_oom_reserve.c normalisation_options.c \
    table_output.c) $(wildcard packages/wasm/*.c)
WASM_GEN   := ddl migrations views reports figures pages
WASM_JANSSON := dump error hashtable hashtable_seed load memory pack_unpack strbuffer strconv utf value
WASM_OBJ   := $(WASM_FILES:%.c=$(BUILD)/wasm/%.o) $(WASM_GEN:%=$(BUILD)/wasm/gen/%.o) $(BUILD)/wasm/sqlite3.o \
    $(WASM_JANSSON:%=$(BUILD)/wasm/jansson/%.o)
WASM_FLAGS := --target=wasm32-wasi -nostdlibinc -isystem packages/wasm/include -isystem /usr/include/wasm32-wasi \
    -isystem $(WASM_SOURCES) -isystem $(WASM_SOURCES)/jansson -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_GETPID \
    -D_WASI_EMULATED_PROCESS_CLOCKS -include packages/wasm/posix.h \
    -ffile-prefix-map=$(WASM_SOURCES)=sources -ffile-prefix-map=$(CURDIR)=. -std=c17 -D_GNU_SOURCE -I. -Os $(WARN) \
    -Wno-format-nonliteral
# As Debian compiles the library, or its error texts would be others; without threads, and files through readonly_vfs.c.
WASM_SQLITE := -DSQLITE_OS_OTHER=1 -DSQLITE_THREADSAFE=0 -DSQLITE_TEMP_STORE=3 -DSQLITE_OMIT_LOAD_EXTENSION \
    -DSQLITE_ENABLE_COLUMN_METADATA -DSQLITE_ENABLE_STMTVTAB -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_USE_URI=1 \
    -DSQLITE_LIKE_DOESNT_MATCH_BLOBS -DSQLITE_MAX_VARIABLE_NUMBER=250000 -DSQLITE_ALLOW_ROWID_IN_VIEW -DSQLITE_SOUNDEX
$(BUILD)/wasm/%.o: %.c $(BUILD)/settings packages/wasm.mk
	@mkdir -p $(@D)
	@$(if $(V),,echo "  WASM  $<")
	$(Q)$(WASM_CC) $(WASM_FLAGS) -DABDB_PREFIX='"$(PREFIX)"' -MMD -MP -c $< -o $@
$(BUILD)/wasm/gen/%.o: $(BUILD)/gen/%.c packages/wasm.mk
	@mkdir -p $(@D)
	$(Q)$(WASM_CC) $(WASM_FLAGS) -Wno-overlength-strings -c $< -o $@
$(BUILD)/wasm/sqlite3.o: $(WASM_SOURCES)/sqlite3.c packages/wasm.mk
	@mkdir -p $(@D)
	@$(if $(V),,echo "  WASM  $<")
	$(Q)$(WASM_CC) $(WASM_FLAGS) $(WASM_SQLITE) -w -c $< -o $@
$(BUILD)/wasm/jansson/%.o: $(WASM_SOURCES)/jansson/%.c packages/wasm.mk
	@mkdir -p $(@D)
	$(Q)$(WASM_CC) $(WASM_FLAGS) -DHAVE_CONFIG_H -w -c $< -o $@
# 256 MiB at most: what a page of a phone may have.
$(BUILD)/abdb.wasm: $(WASM_OBJ)
	@$(if $(V),,echo "  LINK  $@")
	$(Q)$(WASM_CC) $(WASM_LINK) -o $@ $^ -Wl,--strip-all -Wl,--gc-sections -Wl,--stack-first -Wl,-z,stack-size=1048576 \
	    -Wl,--max-memory=268435456 -lc-printscan-long-double -lwasi-emulated-signal -lwasi-emulated-getpid \
	    -lwasi-emulated-process-clocks -lm
$(WASM_SOURCES)/sqlite3.c:
	@echo "  FETCH $(@D)"
	$(Q)packages/wasm_sources.sh $(@D)
