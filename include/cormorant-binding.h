/*
 * Private: what the language bindings of this source tree call. It is no part of the API: it changes without notice, is not
 * installed, and its symbols have a version of their own (CORM_BINDING), which no program may need. A binding is built,
 * tested and released with the library it calls. Programs include cormorant.h.
 */
#ifndef CORMORANT_BINDING_H
#define CORMORANT_BINDING_H

#include "cormorant.h"

#include "cormorant-binding/block.h"
#include "cormorant-binding/json.h"
#include "cormorant-binding/key_value.h"
#include "cormorant-binding/observation.h"
#include "cormorant-binding/python.h"
#include "cormorant-binding/queue.h"
#include "cormorant-binding/result.h"
#include "cormorant-binding/tree.h"

#endif
