#pragma once

namespace CLI {
class App;
}

namespace aggbox::command {

// `aggbox bench`: measures collectives; run on every host, as by `aggbox lab run -- aggbox bench`.
void add_bench_command(CLI::App& app);

}  // namespace aggbox::command
