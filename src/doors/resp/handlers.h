// What the commands do, one function each: see command_table.cc for their arguments. The number of arguments was
// checked, and that the client may ask.
#pragma once

#include "doors/resp/service.h"

namespace sluice::doors::resp {

// throttle_commands.cc. Those that take are decided in a batch where they follow one another.
void answer_cl_throttle(Call& call);
void answer_throttle(Call& call);

// check_commands.cc
void answer_check(Call& call);
void answer_peek(Call& call);
void answer_refund(Call& call);
void answer_reserve(Call& call);
void answer_reset_bucket(Call& call);
void answer_settle(Call& call);

// connection_commands.cc
void answer_ping(Call& call);
void answer_echo(Call& call);
void answer_hello(Call& call);
void answer_auth(Call& call);
void answer_client(Call& call);
void answer_select(Call& call);
void answer_quit(Call& call);
void answer_reset(Call& call);

// server_commands.cc
void answer_command(Call& call);
void answer_config(Call& call);
void answer_info(Call& call);

// Answers what waits in the batch, so that what comes next is answered after it.
void answer_batch(Call& call);

}  // namespace sluice::doors::resp
