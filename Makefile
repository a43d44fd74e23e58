# Makefile - builds, tests, installs abdb. `make help` lists the targets.
.DEFAULT_GOAL := all
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

# --- settings: make NAME=value -------------------------------------------------------------------
# SANITIZE=1: addresses and undefined behaviour; thread: races; by gcc. fuzz: what tests/campaigns/fuzz.sh runs;
# coverage: which lines ran; by clang.
ifeq ($(origin CC),default)
CC := $(if $(filter fuzz coverage,$(SANITIZE)),clang,gcc)
endif
PREFIX      ?= /usr/local
DESTDIR     ?=
SANITIZE    ?=
DEV         ?=
V           ?=
STATIC      ?=

BUILD := build$(if $(SANITIZE),-$(patsubst 1,sanitize,$(SANITIZE)))$(if $(STATIC),-static)
Q     := $(if $(V),,@)
WARN  := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 \
         -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef $(if $(DEV),-Werror)
,     := ,
SAN_1 := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
SAN_fuzz := -fsanitize=fuzzer-no-link $(SAN_1)
SAN_thread := -fsanitize=thread -fno-omit-frame-pointer
SAN_coverage := -fprofile-instr-generate -fcoverage-mapping
SAN   := $(if $(SANITIZE),$(or $(SAN_$(SANITIZE)),$(error SANITIZE=1, thread, fuzz or coverage, not $(SANITIZE))))
ALL_CFLAGS   = -std=c17 -D_GNU_SOURCE -I. -O2 -g -fPIC $(WARN) $(SAN) $(CFLAGS)
ALL_LDFLAGS  = $(SAN) $(STATIC_LDFLAGS) $(LDFLAGS)

hash := \#
# --- what this machine has: a probe compiles and links -------------------------------------------
probe = $(shell d=$$(mktemp -d) && printf '%s\n' '$(hash)include <$(1)>' 'int main(void){return $(2);}' >$$d/p.c \
          && $(CC) $$d/p.c -o $$d/p $(3) >/dev/null 2>&1 && echo yes || echo no; rm -rf $$d)
# A backend with a library is kernels/backends/NAME.c, what it calls in kernels/providers/NAME, and a line here: name,
# header, an expression that needs it, how it is linked, its Debian package. WITH_NAME=auto|yes|no decides.
define library
LIBRARIES += $(1)
LINK_$(1) := $(4)
PACKAGE_$(1) := $(5)
WITH_$(1) ?= $(if $(STATIC),no,auto)
ifeq ($(filter-out clean help deps uninstall,$(or $(MAKECMDGOALS),all)),)
HAVE_$(1) := no
else ifeq ($$(WITH_$(1)),no)
HAVE_$(1) := no
else
HAVE_$(1) := $$(call probe,$(2),$(3),$(4))
ifeq ($$(WITH_$(1))$$(HAVE_$(1)),yesno)
$$(error WITH_$(1)=yes, but $(2) and $(4) do not compile and link; `make deps` installs $(5))
endif
endif
endef
# Debian's alternatives may choose the pthread build of these two for all programs; ours look into the folder of the
# OpenMP build first.
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
openmp_first = $(addprefix -Xlinker --enable-new-dtags -Xlinker -rpath -Xlinker ,$(wildcard \
    /usr/lib/$(MULTIARCH)/$(1)-openmp))
$(eval $(call library,openblas,cblas.h,cblas_ddot(0$(,)0$(,)1$(,)0$(,)1)!=0,$(call openmp_first,openblas) \
    -lopenblas,libopenblas-openmp-dev))
$(eval $(call library,onednn,dnnl.h,dnnl_matmul_desc_init(0$(,)0$(,)0$(,)0$(,)0)==0,-ldnnl,libdnnl-dev))
$(eval $(call library,blis,blis-openmp/blis.h,bli_info_get_version_str()==0,$(call openmp_first,blis) -lblis \
    -lm,libblis-openmp-dev))
$(foreach l,openblas blis,$(eval MORE_$(l) += -DABDB_MULTIARCH='"$(MULTIARCH)"'))

$(eval $(call library,opencl,CL/cl.h,clGetPlatformIDs(0$(,)0$(,)0)==0,-lOpenCL,ocl-icd-opencl-dev opencl-c-headers))
$(eval $(call library,mpi,mpi/mpi.h,MPI_Finalize(),-lmpi,libopenmpi-dev openmpi-bin))
# Kernels in OpenCL C are texts of the program.
EXTRA_opencl := $(BUILD)/obj/gen/cl_files.o
# CUDA: device code is built by nvcc for each architecture into images that the program holds; the driver, cuBLAS and
# NVML are
# loaded when it runs. The toolkit is too large for `make deps`: who has it gets the backend.
NVCC  ?= $(if $(shell command -v g++),$(or $(shell command -v nvcc),$(wildcard /usr/local/cuda/bin/nvcc)))
CUDA  := $(patsubst %/bin/nvcc,%,$(NVCC))
CUDA_ARCHITECTURES ?= 80 90 100
$(eval $(call library,cuda,cublasLt.h,sizeof(cublasLtHandle_t)==0,$(if $(NVCC),-isystem $(CUDA)/include \
    -ldl,-lnvcc),nvidia-cuda-toolkit))
# NCCL between several of these devices; the library is loaded when it runs, too.
$(eval $(call library,nccl,cuda.h,CUDA_VERSION!=0,$(if $(NVCC),-isystem $(CUDA)/include \
    -ldl,-lnvcc),nvidia-cuda-toolkit))
EXTRA_nccl := $(BUILD)/obj/kernels/providers/cuda/driver.o
CU       := $(wildcard kernels/providers/cuda/cu/*.cu)
CU_IMAGE := $(patsubst kernels/providers/cuda/cu/%.cu,$(BUILD)/gen/cu/%.fatbin,$(CU))
EXTRA_cuda := $(BUILD)/obj/gen/cu_images.o
# A library that another backend offers besides, where it is there: its name, the backend's, then as above.
define besides
MORE += $(1)
PACKAGE_$(1) := $(6)
WITH_$(1) ?= auto
ifneq ($$(HAVE_$(2)),yes)
HAVE_$(1) := no
else ifeq ($$(WITH_$(1)),no)
HAVE_$(1) := no
else
HAVE_$(1) := $$(call probe,$(3),$(4),$(5))
ifeq ($$(WITH_$(1))$$(HAVE_$(1)),yesno)
$$(error WITH_$(1)=yes, but $(3) and $(5) do not compile and link; `make deps` installs $(6))
endif
endif
ifeq ($$(HAVE_$(1)),yes)
LINK_$(2) := $(5) $$(LINK_$(2))
EXTRA_$(2) += $$(patsubst %.c,$(BUILD)/obj/%.o,$$(wildcard kernels/providers/$(1)/*.c))
MORE_$(2) += -DABDB_WITH_$(1)
endif
endef
$(eval $(call besides,clblast,opencl,clblast_c.h,CLBlastClearCache()==0,-lclblast,libclblast-dev))

# A store is stores/NAME, the program abdb-store-NAME of abdb push and pull, and a line here: name, header, an
# expression that needs
# the library, how it is linked, its Debian package. `make deps` leaves it out: who has a warehouse installs it.
define store
STORES += $(1)
PACKAGE_$(1) := $(5)
LINK_$(1) := $(4)
WITH_$(1) ?= auto
ifeq ($(filter-out clean help deps uninstall,$(or $(MAKECMDGOALS),all)),)
HAVE_$(1) := no
else ifeq ($$(WITH_$(1)),no)
HAVE_$(1) := no
else
HAVE_$(1) := $$(call probe,$(2),$(3),$(4))
ifeq ($$(WITH_$(1))$$(HAVE_$(1)),yesno)
$$(error WITH_$(1)=yes, but $(2) and $(4) do not compile and link: Debian has $(5))
endif
endif
endef
$(eval $(call store,pg,postgresql/libpq-fe.h,PQlibVersion()!=0,-lpq,libpq-dev))

# --- sources -------------------------------------------------------------------------------------
CORE    := $(wildcard schema/core/*.c)
STORE   := $(wildcard schema/store/*.c) $(wildcard schema/functions/*.c)
INGEST  := $(wildcard ingest/*.c ingest/*/*.c)
PLOTS   := $(wildcard plots/*.c)
QUERY   := $(filter-out query/verbs/main.c query/sql_tables/extension.c,$(wildcard query/*/*.c query/*/*/*.c)) \
    kernels/programs/program_digest.c
RUNNER  := $(wildcard kernels/runner/*.c) kernels/programs/own_metrics.c
MICRO   := $(wildcard kernels/micro/*.c kernels/workloads/*.c)
HARNESS := $(wildcard kernels/harness/*.c)

GEN     := $(BUILD)/gen/ddl.c $(BUILD)/gen/migrations.c $(BUILD)/gen/views.c $(BUILD)/gen/reports.c \
    $(BUILD)/gen/figures.c \
           $(BUILD)/gen/plans.c $(BUILD)/gen/vocabulary.c $(BUILD)/gen/maps.c $(BUILD)/gen/figure_rules.c \
    $(BUILD)/gen/score_rules.c $(BUILD)/gen/site.c $(BUILD)/gen/pages.c $(BUILD)/gen/packages.c
VOCABULARY := data/sources.csv data/devices.csv data/models.csv data/aliases.csv \
              data/rules/rules.csv data/rules/compatibility.csv data/rules/workloads.csv data/rules/rounds.csv \
              data/rules/decorations.csv data/rules/orders.csv data/rules/ratios.csv data/rules/doubts.csv \
              data/rules/engines.csv data/rules/marks.csv data/rules/official.csv data/rules/limits.csv \
              data/rules/factors.csv data/rules/accept.csv

obj = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))
LIB_OBJ := $(call obj,$(CORE) $(STORE) $(INGEST) $(PLOTS) $(RUNNER) $(QUERY)) $(patsubst \
    $(BUILD)/gen/%.c,$(BUILD)/obj/gen/%.o,$(GEN))
export KILLS FAULTS THOROUGH
LIBS    := -lsqlite3 -lcsv -larchive -ljansson -lcrypto -lz -lm -lpthread
include packages/static.mk

BACKENDS := abdb-run-ref abdb-run-vec $(foreach l,$(LIBRARIES),$(if $(filter yes,$(HAVE_$(l))),abdb-run-$(l)))
# Backends that are texts, and the library by which they use our kernels, inputs and checks.
SCRIPTS  := abdb-run-torch
# Measures whole programs: abdb run --command.
SCRIPTS  += abdb-command
WAREHOUSES := $(foreach l,$(STORES),$(if $(filter yes,$(HAVE_$(l))),abdb-store-$(l)))
include packages/wasm.mk
PROGRAMS := $(BUILD)/abdb $(addprefix $(BUILD)/,$(BACKENDS) $(SCRIPTS) $(WAREHOUSES)) $(BUILD)/abdb.so \
    $(BUILD)/libabdb-kernels.so $(if $(filter yes,$(HAVE_wasm)),$(BUILD)/abdb.wasm)


.PHONY: all deps demo demo-backends measured test check-ports gallery bench peers spark torch fuzz soak install \
    uninstall help tidy lint clean config unit docs dist wheel deb site golden bench-import outputs wasm
all: $(PROGRAMS) docs

# Objects depend on a stamp of the settings, so that a changed setting rebuilds them.
SETTINGS := $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(PREFIX) $(foreach l,$(LIBRARIES) $(MORE) \
    $(STORES),$(l)=$(HAVE_$(l))) $(if $(filter yes,$(HAVE_cuda)),$(NVCC) $(CUDA_ARCHITECTURES))
$(BUILD)/settings: force
	@mkdir -p $(BUILD)/gen $(BUILD)/obj
	@echo '$(SETTINGS)' | cmp -s - $@ || echo '$(SETTINGS)' >$@
.PHONY: force
force:

$(BUILD)/obj/%.o: %.c $(BUILD)/settings
	@mkdir -p $(@D)
	@$(if $(V),,echo "  CC    $<")
	$(Q)$(CC) $(ALL_CFLAGS) -DABDB_PREFIX='"$(PREFIX)"' -MMD -MP -c $< -o $@

# Kernels: OpenMP and the vector unit of a plain x86-64 for ref; the reference is never fast.
$(foreach l,$(LIBRARIES),$(BUILD)/obj/kernels/providers/$(l)/%.o) $(BUILD)/obj/kernels/harness/%.o \
    $(BUILD)/obj/kernels/micro/%.o $(BUILD)/obj/kernels/workloads/%.o: ALL_CFLAGS += -fopenmp

# Our own vector code is compiled once for each instruction set; the processor is asked when it runs.
# No loop becomes a call of memcpy, which has stores of its own; a product and a sum are one instruction. Nobody
# measures under sanitizers.
MACHINE  := $(shell $(CC) -dumpmachine 2>/dev/null)
VEC_SETS := $(if $(filter x86_64%,$(MACHINE)),base avx2 avx512 amx,$(if $(filter aarch64%,$(MACHINE)),base neon,base))
VEC_base   :=
VEC_neon   := -DVEC_NEON
VEC_avx2   := -mavx2 -mfma -mf16c
VEC_avx512 := -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mprefer-vector-width=512
VEC_amx    := $(VEC_avx512) -mavx512bf16 -mavx512vnni -mamx-tile -mamx-bf16 -mamx-int8
VEC_FLAGS  := $(if $(SANITIZE),-O1,-O3) -fopenmp -ffp-contract=fast -Wno-psabi $(shell $(CC) \
    -fno-tree-loop-distribute-patterns -E -x c /dev/null >/dev/null 2>&1 && echo -fno-tree-loop-distribute-patterns)
# Multiply-adds of f16 (isa/f16.c), where the compiler knows them.
HALF := $(if $(filter x86_64%,$(MACHINE)),$(shell $(CC) -mavx512fp16 -E -x c /dev/null >/dev/null 2>&1 && echo \
    -mavx512fp16))
HALF_avx512 := $(HALF)
HALF_amx := $(HALF)
VEC_FLAGS += $(if $(HALF),-DVEC_HALVES)
$(BUILD)/obj/kernels/providers/vec/vec.o: ALL_CFLAGS += $(if $(HALF),-DVEC_HALVES)
VEC_OBJ := $(foreach s,$(VEC_SETS),$(patsubst \
    kernels/providers/vec/isa/%.c,$(BUILD)/obj/kernels/providers/vec/$(s)/%.o,$(wildcard \
    kernels/providers/vec/isa/*.c)))
$(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard kernels/providers/vec/*.c)) $(BUILD)/obj/kernels/backends/vec.o: \
    ALL_CFLAGS += -fopenmp
define vec_rule
$(BUILD)/obj/kernels/providers/vec/$(1)/%.o: kernels/providers/vec/isa/%.c $(BUILD)/settings
	@mkdir -p $$(@D)
	@$$(if $$(V),,echo "  CC    $$< ($(1))")
	$$(Q)$$(CC) $$(ALL_CFLAGS) $(VEC_FLAGS) $(VEC_$(1)) $$(if $$(filter f16,$$*),$(HALF_$(1))) -DVEC_ISA=$(1) -MMD -MP \
	    -c $$< -o $$@
endef
$(foreach s,$(VEC_SETS),$(eval $(call vec_rule,$(s))))

# Images of device code: for each architecture what it runs, for later ones what they translate. ptxas says what it
# takes.
$(foreach l,cuda nccl,$(BUILD)/obj/kernels/providers/$(l)/%.o $(BUILD)/obj/kernels/backends/$(l).o): ALL_CFLAGS += \
    -isystem $(CUDA)/include
$(BUILD)/gen/cu/%.fatbin: kernels/providers/cuda/cu/%.cu $(wildcard kernels/providers/cuda/cu/*.h \
    kernels/providers/cuda/cu/*.cuh) $(BUILD)/settings
	@mkdir -p $(@D)
	@$(if $(V),,echo "  NVCC  $<")
	$(Q)$(NVCC) -std=c++17 -O3 -I. -Xptxas -v $(foreach a,$(CUDA_ARCHITECTURES),-gencode arch=compute_$(a),code=sm_$(a)) \
	  -gencode arch=compute_$(lastword $(CUDA_ARCHITECTURES)),code=compute_$(lastword $(CUDA_ARCHITECTURES)) -fatbin $< \
	      -o $@ 2>$@.log || { cat $@.log >&2; exit 1; }
	@! grep -i 'warning' $@.log >&2$(if $(DEV),, || true)
$(BUILD)/gen/cu_images.c: $(CU_IMAGE)
	@{ echo '/* made by the Makefile */'; echo '#include "kernels/providers/cuda/device.h"'; i=0; \
	   for f in $^; do echo \
	       "__asm__(\".section .rodata\\n.balign 64\\n.globl abdb_cu_image_$$i\\nabdb_cu_image_$$i:\\n"\
"              .incbin \\\"$$f\\\"\\n.previous\\n\");"; \
	     echo "extern const char abdb_cu_image_$$i[];"; i=$$((i+1)); done; i=0; \
	   echo 'const abdb_cu_image abdb_cu_images[] = {'; for f in $^; do echo \
	       "{\"$$(basename $$f .fatbin).cu\", abdb_cu_image_$$i},"; i=$$((i+1)); done; \
	   echo '{NULL, NULL}};'; } >$@.tmp && mv $@.tmp $@
$(BUILD)/obj/gen/cu_images.o: ALL_CFLAGS += -isystem $(CUDA)/include
# The same device code for the host's compiler, behind a driver of our own: what tests run without a device.
EMULATED := $(BUILD)/emulated
$(EMULATED)/%.o: kernels/providers/cuda/cu/%.cu $(wildcard kernels/providers/cuda/cu/*.h \
    kernels/providers/cuda/cu/*.cuh tests/cuda/*.h) $(BUILD)/settings
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++17 -O2 -g -fPIC -I. -Wall -Wextra -Wno-unknown-pragmas -Wno-unused -fno-strict-aliasing \
	    -ffp-contract=off -include tests/cuda/emulate.h -x c++ -c $< -o $@
$(EMULATED)/driver/%.o: tests/cuda/%.cpp $(wildcard tests/cuda/*.h) $(BUILD)/settings
	@mkdir -p $(@D)
	$(Q)$(CXX) -std=c++17 -O2 -g -fPIC -I. -isystem $(CUDA)/include -Wall -Wextra -c $< -o $@
$(EMULATED)/libcuda.so: $(patsubst tests/cuda/%.cpp,$(EMULATED)/driver/%.o,$(wildcard tests/cuda/*.cpp)) $(patsubst \
    kernels/providers/cuda/cu/%.cu,$(EMULATED)/%.o,$(CU)) $(call obj,kernels/micro/format.c schema/core/error.c)
	@$(if $(V),,echo "  LINK  $@")
	$(Q)$(CXX) -shared -Wl,-z,defs -o $@ $^ -lm

# Text files become C arrays: name of the list, then the files.
define embed
	@mkdir -p $(@D)
	@{ echo '/* made by the Makefile */'; echo '#include <stddef.h>'; echo '#include "schema/core/embedded.h"'; i=0; \
	   for f in $(2); do echo "static const char text$$i[] = \"\""; od -An -v -to1 -w16 $$f | sed \
	       's/ /\\/g; s/^/"/; s/$$/"/'; \
	     echo ';'; i=$$((i+1)); done; \
	   echo 'extern const abdb_embedded $(1)[];'; echo 'const abdb_embedded $(1)[] = {'; i=0; \
	   for f in $(2); do echo "{\"$$(basename $$f)\", text$$i},"; i=$$((i+1)); done; echo '{NULL, NULL}};'; } >$@.tmp && \
	       mv $@.tmp $@
endef
# Pages that `abdb help` prints.
PAGES := kernels/harness/protocol.md schema/core/records.md
SITE := $(foreach e,css js html sql,query/answer/site/*.$(e))
# A file that comes or goes makes them anew, too.
EMBEDDED := $(sort $(wildcard schema/ddl/*.sql schema/dialect/*.sql schema/migrations/*.sql schema/views/*.sql \
    query/reports/*.sql plots/*.gp plots/figures/*.gp \
            $(SITE) kernels/plans/*.plan kernels/providers/opencl/cl/*.cl ingest/maps/*.map) data/rules/figures.csv \
            data/rules/scores.csv $(VOCABULARY) $(PAGES))
$(BUILD)/gen/names: force
	@mkdir -p $(@D)
	@echo '$(EMBEDDED)' | cmp -s - $@ || echo '$(EMBEDDED)' >$@
$(filter-out %/packages.c,$(GEN)) $(BUILD)/gen/cl_files.c $(BUILD)/gen/pg_tables.c $(BUILD)/gen/pg_dialect.c: \
    $(BUILD)/gen/names
$(BUILD)/gen/ddl.c: $(sort $(wildcard schema/ddl/*.sql)) ; $(call embed,abdb_ddl,$(filter-out %/names,$^))
$(BUILD)/gen/migrations.c: $(sort $(wildcard schema/migrations/*.sql)) ; $(call embed,abdb_migrations,$(filter-out \
    %/names,$^))
$(BUILD)/gen/views.c: $(sort $(wildcard schema/views/*.sql)) ; $(call embed,abdb_views,$(filter-out %/names,$^))
# The tables in PostgreSQL's words, and what only it can say.
$(BUILD)/gen/pg/%.sql: schema/ddl/%.sql schema/dialect/tables.sed
	@mkdir -p $(@D)
	$(Q)sed -E -f schema/dialect/tables.sed $< >$@
$(BUILD)/gen/pg_tables.c: $(patsubst schema/ddl/%,$(BUILD)/gen/pg/%,$(sort $(wildcard schema/ddl/*.sql))) ; $(call \
    embed,abdb_pg_tables,$(filter-out %/names,$^))
$(BUILD)/gen/pg_dialect.c: $(sort $(wildcard schema/dialect/*.sql)) ; $(call embed,abdb_pg_dialect,$(filter-out \
    %/names,$^))
$(BUILD)/gen/reports.c: $(sort $(wildcard query/reports/*.sql)) ; $(call embed,abdb_reports,$(filter-out %/names,$^))
$(BUILD)/gen/figures.c: $(sort $(wildcard plots/*.gp plots/figures/*.gp)) ; $(call embed,abdb_figures,$(filter-out \
    %/names,$^))
$(BUILD)/gen/site.c: $(sort $(wildcard $(SITE))) ; $(call embed,abdb_site_files,$(filter-out %/names,$^))
$(BUILD)/gen/plans.c: $(sort $(wildcard kernels/plans/*.plan)) ; $(call embed,abdb_plans,$(filter-out %/names,$^))
$(BUILD)/gen/cl_files.c: $(sort $(wildcard kernels/providers/opencl/cl/*.cl)) ; $(call \
    embed,abdb_cl_files,$(filter-out %/names,$^))
$(BUILD)/gen/pages.c: $(PAGES) ; $(call embed,abdb_pages,$(filter-out %/names,$^))
$(BUILD)/gen/maps.c: $(sort $(wildcard ingest/maps/*.map)) ; $(call embed,abdb_maps,$(filter-out %/names,$^))
$(BUILD)/gen/figure_rules.c: data/rules/figures.csv ; $(call embed,abdb_figure_rules,$(filter-out %/names,$^))
$(BUILD)/gen/score_rules.c: data/rules/scores.csv ; $(call embed,abdb_score_rules,$(filter-out %/names,$^))
$(BUILD)/gen/vocabulary.c: $(VOCABULARY) ; $(call embed,abdb_vocabulary,$(filter-out %/names,$^))
$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/settings
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -Wno-overlength-strings -c $< -o $@

$(BUILD)/libabdb.a: $(LIB_OBJ)
	@rm -f $@
	$(Q)ar rcs $@ $^
$(BUILD)/abdb: $(call obj,query/verbs/main.c) $(BUILD)/libabdb.a | $(STATIC_READY)
	@$(if $(V),,echo "  LINK  $@")
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS) $(STATIC_LIBS)
$(BUILD)/abdb-run-ref: $(call obj,kernels/backends/ref.c $(wildcard kernels/providers/ref/*.c) $(HARNESS) $(MICRO) \
    $(CORE)) | $(STATIC_READY)
	@$(if $(V),,echo "  LINK  $@")
	$(Q)$(CC) $(ALL_LDFLAGS) -fopenmp $(STATIC_PROGRAM) -o $@ $^ -ljansson -lm -lpthread
$(BUILD)/abdb-run-vec: $(call obj,kernels/backends/vec.c $(wildcard kernels/providers/vec/*.c) $(HARNESS) $(MICRO) \
    $(CORE)) $(VEC_OBJ) | $(STATIC_READY)
	@$(if $(V),,echo "  LINK  $@")
	$(Q)$(CC) $(ALL_LDFLAGS) -fopenmp $(STATIC_PROGRAM) -o $@ $^ -ljansson -lm -lpthread
$(BUILD)/libabdb-kernels.so: $(call obj,$(wildcard kernels/providers/foreign/*.c) $(HARNESS) $(MICRO) $(CORE)) | \
    $(STATIC_READY)
	@$(if $(V),,echo "  LINK  $@")
	$(Q)$(CC) $(STATIC_SHARED) $(ALL_LDFLAGS) -shared $(if $(SANITIZE),,-Wl,-z,defs) -fopenmp -o $@ $^ $(STATIC_STDIO) \
	    -ljansson -lm -lpthread -ldl
$(BUILD)/abdb-command: $(call obj,$(wildcard kernels/programs/*.c) $(HARNESS) $(MICRO) $(CORE)) | $(STATIC_READY)
	@$(if $(V),,echo "  LINK  $@")
	$(Q)$(CC) $(ALL_LDFLAGS) -fopenmp $(STATIC_PROGRAM) -o $@ $^ -ljansson -lcrypto -lm -lpthread
$(BUILD)/abdb-run-%: kernels/backends/%.py
	$(Q)install -m 755 $< $@
# Direct calls beside samples, for make bench.
$(BUILD)/bench/launch: $(call obj,tests/bench/launch.c $(wildcard kernels/providers/ref/*.c \
    kernels/providers/vec/*.c) $(HARNESS) $(MICRO) $(CORE)) $(VEC_OBJ)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_LDFLAGS) -fopenmp -o $@ $^ -ljansson -lm -lpthread
# Ranks of MPI compute by our own vector code.
EXTRA_mpi += $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard kernels/providers/vec/*.c)) $(VEC_OBJ)
define backend_rule
$(BUILD)/abdb-run-$(1): $(call obj,kernels/backends/$(1).c $(wildcard kernels/providers/$(1)/*.c) $(HARNESS) $(MICRO) \
    $(CORE)) $(EXTRA_$(1))
	@$$(if $$(V),,echo "  LINK  $$@")
	$$(Q)$$(CC) $$(ALL_LDFLAGS) -fopenmp -o $$@ $$^ $(LINK_$(1)) -ljansson -lm -lpthread
$(BUILD)/obj/kernels/backends/$(1).o: ALL_CFLAGS += -fopenmp $(MORE_$(1))
endef
$(foreach l,$(LIBRARIES),$(eval $(call backend_rule,$(l))))
define store_rule
$(BUILD)/abdb-store-$(1): $(call obj,$(wildcard stores/*.c stores/$(1)/*.c) $(CORE)) $(BUILD)/obj/gen/pg_tables.o \
    $(BUILD)/obj/gen/pg_dialect.o $(BUILD)/obj/gen/views.o
	@$$(if $$(V),,echo "  LINK  $$@")
	$$(Q)$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ $(LINK_$(1)) -ljansson -lm -lpthread
endef
$(foreach l,$(STORES),$(eval $(call store_rule,$(l))))
# What doctor says of those that are not here.
debian_package = $(patsubst packages/debian/%.install,%,$(wildcard packages/debian/abdb-$(1).install))
$(BUILD)/gen/packages.c: $(BUILD)/settings Makefile
	@mkdir -p $(@D)
	@{ echo '/* made by the Makefile */'; echo '#include "query/run/find_backends.h"'; echo \
	    'const abdb_backend_package abdb_backend_packages[] = {'; \
	   $(foreach l,$(LIBRARIES),echo \
	       '{"$(l)", "$(PACKAGE_$(l))", "$(call debian_package,backend-$(l))"},';) \
	   $(foreach l,$(MORE),echo '{"$(l)", "$(PACKAGE_$(l))", NULL},';) echo '{0}};'; \
	   echo 'const abdb_backend_package abdb_store_packages[] = {'; $(foreach l,$(STORES),echo \
	       '{"$(l)", "$(PACKAGE_$(l))", "$(call debian_package,store-$(l))"},';) \
	   echo '{0}};'; } >$@.tmp && mv $@.tmp $@
# The loadable extension: the same files compiled again, because SQLite hands over its interface there.
EXTENSION_COMPARE := $(filter-out %/environment_diff.c %/regression_gate.c %/compare_text.c %/compare_table.c \
    %/test_notes.c,$(wildcard query/compare/*.c))
EXTENSION := $(CORE) $(wildcard schema/functions/*.c) ingest/read/csv.c ingest/read/input_file.c $(addprefix \
    ingest/read/,archive.c archive_kind.c archive_member.c archive_source.c hard_links.c member_name.c) $(RUNNER) \
             query/answer/table.c query/answer/sql_rows.c query/answer/price_quote.c query/run/find_backends.c \
    $(EXTENSION_COMPARE) $(wildcard query/sql_tables/*.c) schema/store/unfinished_runs.c
so_obj = $(patsubst %.c,$(BUILD)/so/%.o,$(1))
$(BUILD)/so/%.o: %.c $(BUILD)/settings
	@mkdir -p $(@D)
	$(Q)$(CC) $(filter-out $(SAN),$(ALL_CFLAGS)) -DABDB_PREFIX='"$(PREFIX)"' -DABDB_EXTENSION -fvisibility=hidden -MMD \
	    -MP -c $< -o $@
$(BUILD)/abdb.so: $(call so_obj,$(EXTENSION)) | $(STATIC_READY)
	@$(if $(V),,echo "  LINK  $@")
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-z,defs $(STATIC_SHARED) -o $@ $^ $(STATIC_STDIO) -lcsv -larchive -ljansson \
	    $(STATIC_LIBS) -lm -lpthread -ldl

docs: $(BUILD)/doc/stamp
$(BUILD)/doc/stamp: $(BUILD)/abdb packages/program.1
	@mkdir -p $(BUILD)/doc $(BUILD)/man
	@ln -sfn ../doc $(BUILD)/man/man1 # where man looks for the pages of a folder in PATH
	$(Q)$(BUILD)/abdb help --man >$(BUILD)/doc/abdb.1
	$(Q)for verb in $$($(BUILD)/abdb help --complete '' | cut -f1); do $(BUILD)/abdb help --man $$verb \
	    >$(BUILD)/doc/abdb-$$verb.1 || exit 1; done
	$(Q)for name in $(BACKENDS) $(SCRIPTS) $(WAREHOUSES); do sed "s/@NAME@/$$name/g" packages/program.1 \
	    >$(BUILD)/doc/$$name.1 || exit 1; done
	$(Q)for shell in bash zsh fish; do $(BUILD)/abdb help --completion $$shell >$(BUILD)/doc/abdb.$$shell || exit 1; done
	@touch $@

# --- packages ------------------------------------------------------------------------------------
CORE_DEBS := gcc libc6-dev make libsqlite3-dev sqlite3 libcsv-dev libjansson-dev libssl-dev libarchive-dev zlib1g-dev
DEBS := $(CORE_DEBS) \
        $(foreach l,$(filter-out cuda nccl,$(LIBRARIES) $(MORE)),$(PACKAGE_$(l))) gnuplot-nox fonts-lato \
    fonts-dejavu-core node-d3
TEST_DEBS := libcmocka-dev pocl-opencl-icd bats perl python3 python3-venv python3-pytest jq xz-utils zip time xxd \
    procps man-db bsdextrautils chromium unzip $(WASM_DEBS)
deps: ## install missing Debian packages (with sudo when not root)
	@missing=$$(for p in $(DEBS) $(TEST_DEBS); do dpkg-query -W -f='$${Status}\n' $$p 2>/dev/null | grep -q \
	    'ok installed' || echo $$p; done); \
	 [ -n "$$missing" ] || exit 0; \
	 if ! command -v apt-get >/dev/null; then echo \
	     "abdb needs what Debian calls: $(DEBS); and for its tests or packages: $(TEST_DEBS)"; exit 1; fi; \
	 sudo=; [ $$(id -u) = 0 ] || sudo=sudo; echo "installing:" $$missing; \
	 $$sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -y -qq --no-install-recommends \
	     $$missing >/dev/null

# For people as many compilers as processors, unless they said -j.
JOBS = $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

# What the demo is built of and draws with; `make deps`, then `make`, brings the rest.
DEMO_DEBS = $(CORE_DEBS) $(PACKAGE_openblas) gnuplot-nox fonts-lato fonts-dejavu-core

# --- targets for people ----------------------------------------------------------------------------
demo: ## the main job on real input: import, answer, measure, draw, in one to three minutes; builds what it needs
	@$(MAKE) -s deps DEBS='$(DEMO_DEBS)' TEST_DEBS=
	@$(MAKE) $(JOBS) -s $(BUILD)/abdb
	@query/demo.sh evidence $(BUILD)
	@$(MAKE) $(JOBS) -s demo-backends
	@query/demo.sh machine $(BUILD)
demo-backends: $(addprefix $(BUILD)/abdb-run-,ref vec $(if $(filter yes,$(HAVE_openblas)),openblas)) # in a make of \
    its own: by then `make deps` has brought the library
measured: ## measure this machine, quiet for some minutes, for data/measured: steady and verified cells, redacted
	@$(MAKE) -s all
	@query/measured.sh $(BUILD)
test: ## all tests, about a quarter of an hour on two cores
	@$(MAKE) -s deps
	@$(MAKE) -s $(WASM_SOURCES)/sqlite3.c || echo "without abdb.wasm: its sources cannot be had"
	@$(MAKE) $(JOBS) all unit
	@BUILD=$(BUILD) tests/run.sh
gallery: ## every figure into build/gallery, those of the README files into plots/gallery (under 20 seconds)
	@$(MAKE) -s all
	@sh plots/gallery.sh $(BUILD)
bench: ## paired ratios against peers on this machine, and a million results
	@$(MAKE) -s deps
	@$(MAKE) -s all
	@$(MAKE) -s $(BUILD)/bench/launch
	@$(MAKE) -s peers || echo "some peers are absent"
	@BUILD=$(BUILD) tests/bench/run.sh
	@BUILD=$(BUILD) tests/bench/kernels.sh
	@BUILD=$(BUILD) tests/bench/plans.sh $${PLANS:-stream elementwise sparse kaist-paged}
	@BUILD=$(BUILD) tests/bench/generate.sh
	@BUILD=$(BUILD) tests/bench/mpi.sh
	@BUILD=$(BUILD) tests/bench/reports.sh
	@BUILD=$(BUILD) tests/bench/site.sh
	@BUILD=$(BUILD) tests/bench/warehouse.sh
	@BUILD=$(BUILD) tests/bench/columns.sh
torch: ## PyTorch from PyPI into build/torch, for the backend torch and its test; not needed otherwise
	@[ -x $(BUILD)/torch/bin/python ] || python3 -m venv $(BUILD)/torch
	@$(BUILD)/torch/bin/pip install -q torch && echo \
	    "ABDB_PYTHON=$(CURDIR)/$(BUILD)/torch/bin/python abdb run --backend torch ..."
peers: ## DuckDB, Datasette, apsw, mcp from PyPI into build/venv, for bench, check-ports and a few tests
	@$(BUILD)/venv/bin/python -c 'import duckdb, mcp' 2>/dev/null || { python3 -m venv $(BUILD)/venv && \
	    $(BUILD)/venv/bin/pip install -q duckdb duckdb-cli datasette apsw mcp; }
spark: peers ## Spark from PyPI into build/venv, for check-ports (Java 17: openjdk-17-jre-headless)
	@$(BUILD)/venv/bin/pip install -q pyspark
fuzz: ## damaged files of each format under sanitizers (MUTANTS=, SEED=), libFuzzer for FUZZ_MINUTES (10)
	@$(MAKE) $(JOBS) -s SANITIZE=1 all unit
	@MUTANTS=$${MUTANTS:-10000} SEED=$${SEED:-$$RANDOM} build-sanitize/unit/mutants
	@tests/campaigns/fuzz.sh --budget $${FUZZ_MINUTES:-10}
soak: ## the tests with all cases, kills, faults, wrong kernels, cells, the gate for GATE_MINUTES (10)
	@$(MAKE) -s test KILLS=2000 FAULTS=2000 THOROUGH=40 ROUNDS=2000 MUTANTS=3000 RACES=100
	@BUILD=$(BUILD) tests/campaigns/cells.sh
	@tests/mutants/kernels.sh
	@tests/mutants/kernels.sh --table classes.txt
	@tests/mutants/kernels.sh --table foreign.txt
	@BUILD=$(BUILD) tests/mutants/workloads.sh
	@BUILD=$(BUILD) tests/mutants/opencl.sh
	@BUILD=$(BUILD) tests/mutants/cuda.sh
	@BUILD=$(BUILD) bash tests/campaigns/gate.sh
	@BUILD=$(BUILD) tests/campaigns/wasm.sh
	@BUILD=$(BUILD) bash tests/campaigns/gate.sh twins
	@BUILD=$(BUILD) python3 tests/fault/campaign.py kills --server --budget $${KILL_MINUTES:-60}
	@BUILD=$(BUILD) python3 tests/fault/campaign.py faults --server --budget $${FAULT_MINUTES:-60}
	@BUILD=$(BUILD) python3 tests/fault/crowd.py --seconds 600
	@BUILD=$(BUILD) tests/campaigns/powercut.sh
	@BUILD=$(BUILD) tests/mutants/faults.sh
	@KILLED_PUSHES=100 BUILD=$(BUILD) bats tests/cli/warehouse.bats -f killed
	@KILLED_TASKS=50 BUILD=$(BUILD) bats tests/cli/merge.bats -f killed
	@MESSAGES=100000 BUILD=$(BUILD) bats tests/cli/mcp.bats -f 'no message'
	@THOROUGH=20000 $(BUILD)/unit/sample_series
	@BUILD=$(BUILD) tests/campaigns/count_lies.sh
	@BUILD=$(BUILD) tests/campaigns/simulate_fleets.py 300
	@BUILD=$(BUILD) tests/campaigns/simulate_histories.py 300
	@BUILD=$(BUILD) tests/campaigns/simulate_acceptance.py 1000
check-ports: ## other systems, servers and compilers, as far as installed; a table (PARTS="locale big": these)
	@BUILD=$(BUILD) tests/ports/check.sh $(PARTS)
wasm: ## build/abdb.wasm: the verbs that answer, for a page of the site and for node; fetches SQLite and jansson
	@$(MAKE) -s deps DEBS='$(CORE_DEBS)' TEST_DEBS='$(WASM_DEBS)'
	@$(MAKE) -s $(WASM_SOURCES)/sqlite3.c
	@$(MAKE) $(JOBS) $(BUILD)/abdb.wasm
dist: ## source archive of this revision with its digest, into build/dist
	@packages/dist.sh
wheel: ## a Python wheel with programs, data, SQL extension and module, into build/dist (builds with STATIC=1)
	@$(MAKE) -s deps DEBS='$(CORE_DEBS)' TEST_DEBS='python3-wheel $(STATIC_DEBS)'
	@MAKE="$(MAKE) $(JOBS)" packages/wheel.sh
deb: ## Debian packages, into build/dist
	@$(MAKE) -s deps TEST_DEBS='build-essential debhelper lintian $(foreach l,$(STORES),$(PACKAGE_$(l)))'
	@packages/deb.sh
site: ## the shipped evidence as web pages, in build/site
	@$(MAKE) -s all
	@rm -rf $(BUILD)/site $(BUILD)/site.db && $(BUILD)/abdb import -q --db $(BUILD)/site.db data && $(BUILD)/abdb site \
	    --db $(BUILD)/site.db --out $(BUILD)/site
lint: ## gcc -fanalyzer, clang-tidy, cppcheck; tests/checks/lint.txt explains findings (ten minutes)
	@tests/checks/lint.sh
tidy: ## floors, style and duplicates of lists
	@tests/checks/tidy.sh
config: ## what was found on this machine
	@echo "compiler  $(CC)"; $(foreach l,$(LIBRARIES) $(MORE) $(STORES) wasm,echo \
	    "$(l)  $(HAVE_$(l)) (WITH_$(l)=$(WITH_$(l)))";) echo "prefix    $(PREFIX)"
golden: all ## write golden outputs anew (look at the difference before you commit it)
	@UPDATE=1 BUILD=$(BUILD) bats tests/cli/golden.bats
	@UPDATE=1 BUILD=$(BUILD) bats tests/cli/figures.bats -f golden
	@UPDATE=1 BUILD=$(BUILD) bats tests/cli/promises.bats
help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18
	@echo "  settings: CC= CFLAGS= PREFIX= DESTDIR="\
	  "$(foreach l,$(LIBRARIES) $(MORE) $(STORES),WITH_$(l)=)auto|yes|no SANITIZE=1 DEV=1 V=1"
install: all ## programs, man page, completion, data, SQL extension (PREFIX, DESTDIR)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/abdb $(DESTDIR)$(PREFIX)/share/man/man1 \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/abdb/data/results \
	  $(DESTDIR)$(PREFIX)/share/abdb/data/rules
	install -m 755 $(BUILD)/abdb $(addprefix $(BUILD)/,$(BACKENDS) $(SCRIPTS) $(WAREHOUSES)) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(BUILD)/abdb.so $(BUILD)/libabdb-kernels.so $(DESTDIR)$(PREFIX)/lib/abdb
	install -m 644 $(BUILD)/doc/abdb*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 $(BUILD)/doc/abdb.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/abdb
	install -D -m 644 $(BUILD)/doc/abdb.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_abdb
	install -D -m 644 $(BUILD)/doc/abdb.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/abdb.fish
	install -d $(DESTDIR)$(PREFIX)/share/doc/abdb/scale
	install -m 644 $(PAGES) $(DESTDIR)$(PREFIX)/share/doc/abdb
	install -m 644 schema/scale/*.sql $(DESTDIR)$(PREFIX)/share/doc/abdb/scale
	install -m 644 data/*.csv $(DESTDIR)$(PREFIX)/share/abdb/data
	$(if $(filter yes,$(HAVE_wasm)),install -m 644 $(BUILD)/abdb.wasm $(DESTDIR)$(PREFIX)/share/abdb)
	install -m 644 data/results/*.csv $(DESTDIR)$(PREFIX)/share/abdb/data/results
	install -m 644 data/rules/*.csv $(DESTDIR)$(PREFIX)/share/abdb/data/rules
	for f in data/measured/*.jsonl; do [ ! -e "$$f" ] || install -D -m 644 "$$f" $(DESTDIR)$(PREFIX)/share/abdb/"$$f"; done
uninstall: ## remove what install put there
	rm -rf $(addprefix $(DESTDIR)$(PREFIX)/bin/,abdb $(BACKENDS) $(SCRIPTS) $(WAREHOUSES)) $(DESTDIR)$(PREFIX)/lib/abdb \
	    $(DESTDIR)$(PREFIX)/share/abdb $(DESTDIR)$(PREFIX)/share/doc/abdb \
	  $(DESTDIR)$(PREFIX)/share/man/man1/abdb.1 $(DESTDIR)$(PREFIX)/share/man/man1/abdb-*.1 \
	      $(DESTDIR)$(PREFIX)/share/bash-completion/completions/abdb \
	  $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_abdb $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/abdb.fish
clean: ## remove build products
	rm -rf build build-sanitize build-fuzz build-thread build-coverage build-static build-ports demo

# --- unit tests: one program per file, TAP by cmocka -------------------------------------------------
UNIT := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/*.c))
unit: $(UNIT) $(if $(filter yes,$(HAVE_cuda)),$(if $(SANITIZE),,$(EMULATED)/libcuda.so))
$(BUILD)/unit/%: tests/unit/%.c $(call obj,$(MICRO) $(HARNESS) $(wildcard kernels/providers/ref/*.c) $(wildcard \
    kernels/providers/vec/*.c)) $(VEC_OBJ) $(BUILD)/libabdb.a
	@mkdir -p $(@D)
	@$(if $(V),,echo "  TEST  $@")
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -fopenmp -o $@ $^ -lcmocka $(LIBS)

# Targets of fuzzers, without main: libFuzzer has one, tests/unit/corpus.c another. In them no program is started
# (tests/fuzz/streams.c).
FUZZ      := $(call obj,$(wildcard tests/fuzz/*.c) $(addprefix kernels/workloads/,weights_file.c safetensors.c \
    gguf.c) kernels/micro/format.c) $(BUILD)/libabdb.a
FUZZ_LINK := $(patsubst %,-Wl$(,)--wrap=%,abdb_program_start_with_pipes abdb_program_wait_until_ended \
                 abdb_program_kill_and_reap) \
             $(patsubst %,-Wl$(,)--wrap=sqlite3_%,prepare_v2 prepare_v3 exec finalize close close_v2 set_authorizer)
$(BUILD)/unit/corpus: $(call obj,tests/unit/corpus.c) $(FUZZ)
	@mkdir -p $(@D)
	@$(if $(V),,echo "  TEST  $@")
	$(Q)$(CC) $(ALL_LDFLAGS) $(FUZZ_LINK) -o $@ $^ -lcmocka $(LIBS)
$(BUILD)/fuzz: $(FUZZ)
	@$(if $(V),,echo "  LINK  $@")
	$(Q)$(CC) -fsanitize=fuzzer $(ALL_LDFLAGS) $(FUZZ_LINK) -o $@ $^ $(LIBS)

# What each backend computes, to tell which wrong kernels change a result: its program with another main
# (tests/mutants/kernels.sh).
define outputs_rule
$(BUILD)/mutants/outputs-$(1): $(call obj,tests/mutants/outputs.c kernels/backends/$(1).c $(wildcard \
    kernels/providers/$(1)/*.c) $(filter-out %/backend.c,$(HARNESS)) $(MICRO) $(CORE)) $(EXTRA_$(1)) $(if $(filter \
    vec,$(1)),$(VEC_OBJ))
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_LDFLAGS) -fopenmp -o $$@ $$^ $(LINK_$(1)) -ljansson -lm -lpthread
endef
$(foreach b,$(BACKENDS:abdb-run-%=%),$(eval $(call outputs_rule,$(b))))
outputs: $(BACKENDS:abdb-run-%=$(BUILD)/abdb-run-%) $(BACKENDS:abdb-run-%=$(BUILD)/mutants/outputs-%)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
