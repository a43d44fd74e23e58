/* caption_note.h - the notes of a report as a picture and its caption have them. */
#ifndef ABDB_ANSWER_CAPTION_NOTE_H
#define ABDB_ANSWER_CAPTION_NOTE_H

#include "schema/core/text.h"

/* A note for a picture or its caption, from arena: commands to type are left out, as a picture is
 * no terminal. */
const char *abdb_plot_note_to_caption_text(abdb_arena *arena, const char *note);
/* Would the picture mislead without this note? It explains a mark, warns, gives the age of prices,
 * counts rows that are not drawn, or names a leader that was left out. */
bool abdb_note_belongs_into_picture(const char *note);

#endif
