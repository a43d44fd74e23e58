# static.mk - STATIC=1: programs that want of the system only libc, as a wheel carries them. Included by the Makefile.
#
# The linker meets libraries in $(BUILD)/static first, where only archives are. Those of Debian are made for programs:
# in a shared
# object they may not name the standard streams of libc, so there they name variables of packages/streams.c. libgomp
# stays a shared
# object (kernels/harness/thread_count.c stands before a function of it), carried beside the programs.
STATIC_DEBS    := liblzma-dev libbz2-dev libzstd-dev liblz4-dev libacl1-dev nettle-dev
ifneq ($(STATIC),)
STATIC_NAMES   := sqlite3 csv archive jansson crypto z lzma bz2 zstd lz4 acl nettle
ALL_CFLAGS     += -ffile-prefix-map=$(CURDIR)=. # a name of a folder, even in what is stripped later, would be in the \
    build's ID
STATIC_READY   := $(BUILD)/static/stamp
STATIC_LDFLAGS := -L$(BUILD)/static -Wl,--gc-sections
STATIC_LIBS    := -llzma -lbz2 -lzstd -llz4 -lacl -lnettle -lz
STATIC_PROGRAM := -Wl,-rpath,'$$ORIGIN/../lib/abdb'
STATIC_SHARED  := -L$(BUILD)/static/shared -Wl,--exclude-libs,ALL -Wl,--gc-sections -Wl,-rpath,'$$ORIGIN'
STATIC_STDIO   := $(BUILD)/static/streams.o
$(STATIC_READY): packages/static.mk packages/streams.c $(BUILD)/settings
	@mkdir -p $(BUILD)/static/shared
	@for l in $(STATIC_NAMES); do f=$$($(CC) -print-file-name=lib$$l.a); \
	   [ -f "$$f" ] || { echo "STATIC=1 wants lib$$l.a: apt-get install $(STATIC_DEBS)" >&2; exit 1; }; ln -sf "$$f" \
	       $(BUILD)/static/; \
	   objcopy --redefine-sym stdin=abdb_stdin --redefine-sym stdout=abdb_stdout --redefine-sym stderr=abdb_stderr \
	     "$$f" $(BUILD)/static/shared/lib$$l.a || exit 1; done
	$(Q)$(CC) $(ALL_CFLAGS) -c packages/streams.c -o $(STATIC_STDIO)
	@touch $@
endif
