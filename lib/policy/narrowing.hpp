// Whether a change of profile takes rights away or gives some: only the first needs no person.
#pragma once

#include "policy/profile.hpp"

namespace chorus::policy {

// Told from the lists, never from what patterns match. True for the same profile; a stricter base
// (open, sandboxed, standard, locked, none); deny entries added; allow and ask entries removed; an
// allow entry that loses `shell` or becomes an ask entry. Everything else is widening, and so is
// that last one for a pattern of commands, unless it allowed them whole (a catch-all, or `shell`):
// an ask entry speaks for a line of joined commands that an allow entry leaves denied.
// Where it is true, no action is decided more mildly under `to` than under `from`, wherever it
// runs. Both texts are such that compile takes them; a preset is a text of its base alone.
bool narrows(const ProfileText& from, const ProfileText& to);

}  // namespace chorus::policy
