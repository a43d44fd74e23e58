/* begin.h - the word by which a program that shim.so is loaded into says that its main begins: a
 * prctl of this number, which the kernel does not know. */
#ifndef ABDB_FAULT_BEGIN_H
#define ABDB_FAULT_BEGIN_H

#define FAULT_MAIN_BEGINS 0x62646261

#endif
