#include "skein/train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include "skein/base/error.h"
#include "skein/base/files.h"
#include "skein/base/log.h"
#include "skein/comm/agreement.h"
#include "skein/comm/single_process.h"
#include "skein/data/prefetcher.h"
#include "skein/parallel/batch_share.h"
#include "skein/parallel/gradient_exchange.h"
#include "skein/train/checkpoint_store.h"
#include "skein/train/load_model.h"
#include "skein/train/resume.h"
#include "skein/train/run_state.h"
#include "skein/train/training_data.h"
#include "skein/train/training_report.h"
#include "skein/train/traits.h"
#include "skein/train/update.h"

namespace skein {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Everything that one training run owns.
class Run {
 public:
  // Prepares what a rank can without the others.
  Run(TrainOptions& options, const TrainingPlaces& places, Communicator& communicator);
  // With the others.
  void begin();
  TrainingSummary loop(const std::function<bool()>& stop_requested);

 private:
  bool leads() const { return communicator_.rank() == 0; }
  void build_model();
  void make_optimizer();
  void go_on();
  RunParts parts();
  bool next_batches();
  void make_update();
  void report(const UpdateResult& result, double lr);
  bool agree_to_stop(bool requested);
  void end_epoch();
  void validate();
  double measure();
  void share_validation();
  double score() const;
  void save();
  void write_checkpoint(std::vector<NamedTensor> gathered_state);
  bool finished() const { return !end_reason().empty(); }
  std::string end_reason() const;
  double progress() const;

  TrainOptions& options_;
  TrainingPlaces places_;
  Communicator& communicator_;
  TrainingData data_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Criterion> criterion_;
  std::unique_ptr<Optimizer> optimizer_;
  ShardedOptimizer* sharded_ = nullptr;  // optimizer_, where ranks share its state
  std::unique_ptr<Schedule> schedule_;
  std::optional<GradientExchange> exchange_;  // where there are other ranks
  std::optional<Updater> updater_;
  std::optional<BatchIterator> iterator_;  // until begin()
  std::optional<Prefetcher> batches_;
  // These rank 0 alone has.
  std::optional<MovingAverage> average_;
  std::optional<Validator> validator_;
  std::optional<CheckpointStore> store_;
  std::optional<TrainingReport> report_;

  std::vector<Batch> group_;  // the batches of one update, for all ranks
  StartingPoint start_;
  int64_t updates_ = 0;
  int64_t validated_at_ = -1;
  int64_t saved_at_ = -1;
  std::optional<ValidationResult> validation_;
  ValidationHistory validations_;
  Clock::time_point begin_;
  bool out_of_time_ = false;
};

Run::Run(TrainOptions& options, const TrainingPlaces& places, Communicator& communicator)
    : options_(options), places_(places), communicator_(communicator), data_(places.data) {
  const LoopOptions& bounds = options_.loop;
  if (bounds.max_updates == 0 && bounds.max_epochs == 0 && bounds.max_minutes == 0) {
    throw UsageError(
        "training has no end; set train.max_updates, train.max_epochs or train.max_minutes");
  }
  validations_.larger_is_better = options_.validation.metric == "bleu";
  if (validations_.larger_is_better) options_.validation.bleu = true;
  options_.schedule.maximize = validations_.larger_is_better;
  options_.language = data_.languages();
  build_model();
  iterator_ = data_.batches(options_, *model_);
  if (!leads()) return;
  require_writable_folder(places.output);
  try {
    go_on();
  } catch (const FormatError& error) {
    throw FormatError(with_way_on(error, places.output));
  } catch (const FileError& error) {
    throw FileError(with_way_on(error, places.output));
  }
}

void Run::begin() {
  require_alike(communicator_, traits_of(options_, data_));
  share(communicator_, parts(), start_);
  updates_ = start_.updates;
  iterator_->seek(start_.cursor);
  batches_.emplace(*std::exchange(iterator_, std::nullopt));
  if (!leads()) return;
  write_file(places_.output / "config.toml", options_.to_toml());
  report_.emplace(places_.output, updates_);
  report_->start(*model_, data_.train());
}

// From the newest checkpoint, where there is one.
void Run::go_on() {
  store_.emplace(places_.output, CheckpointRetention{.keep_last = options_.checkpoint.keep_last,
                                                     .keep_best = options_.checkpoint.keep_best});
  const auto newest = store_->newest();
  if (!newest) return;
  const Checkpoint checkpoint(*newest);
  require_same_settings(*read_train_options(checkpoint.model().config()), options_, *newest);
  require_same_vocabularies(checkpoint.model(), data_.folder());
  require_same_data(checkpoint.numbers("data"), data_, *newest);
  if (sharded_ != nullptr) sharded_->hold_whole_state();
  restore(parts(), checkpoint);
  start_ = {.updates = checkpoint.state().step, .cursor = cursor_of(checkpoint)};
  iterator_->seek(start_.cursor);
  log_info(fmt::format("going on from {} (update {})", newest->string(), start_.updates));
}

void Run::build_model() {
  const DType type = activation_type(options_.loop.precision);
  model_ = options_.model->build(vocabulary_sizes(data_.tokenizers()));
  model_->set_inference_type(type);
  const BlockOptions blocks = options_.data.blocks();
  data_.require_fit(*model_, blocks);
  ParameterStore& parameters = model_->parameters();
  parameters.allocate({.half = type == DType::kBF16, .gradients = true});
  parameters.initialize(static_cast<uint64_t>(options_.loop.seed));
  criterion_ = make_criterion(options_.criterion);
  criterion_->require(*model_);
  make_optimizer();
  schedule_ = make_schedule(options_.schedule, {.rates = options_.optimizer.lr,
                                                .total_updates = options_.loop.max_updates});
  if (communicator_.size() > 1) exchange_.emplace(communicator_, parameters);
  updater_.emplace(*model_, *criterion_, *optimizer_,
                   UpdateOptions{.activations = type,
                                 .clip_norm = options_.loop.clip_norm,
                                 .seed = static_cast<uint64_t>(options_.loop.seed),
                                 .exchange = exchange_ ? &*exchange_ : nullptr});
  if (!leads()) return;
  if (options_.average.decay > 0) average_.emplace(options_.average, flat_parameters(parameters));
  validator_.emplace(Validator::Inputs{data_.valid(), *criterion_, *data_.tokenizers().target,
                                       data_.valid_target_text(options_.validation.bleu), blocks},
                     options_.validation, options_.data.max_tokens);
}

void Run::make_optimizer() {
  const FlatParameters parameters = flat_parameters(model_->parameters());
  const auto make = [this](const FlatParameters& some) {
    return skein::make_optimizer(options_.optimizer, some);
  };
  if (options_.parallel.zero == 0 || communicator_.size() == 1) {
    optimizer_ = make(parameters);
    return;
  }
  auto sharded = std::make_unique<ShardedOptimizer>(communicator_, make, parameters);
  sharded_ = sharded.get();
  optimizer_ = std::move(sharded);
}

RunParts Run::parts() {
  return {.model = *model_,
          .optimizer = *optimizer_,
          .sharded = sharded_,
          .schedule = *schedule_,
          .average = average_ ? &*average_ : nullptr,
          .validations = validations_};
}

TrainingSummary Run::loop(const std::function<bool()>& stop_requested) {
  begin_ = Clock::now();
  bool interrupted = agree_to_stop(false);
  while (!finished() && !interrupted) {
    if (batches_->cursor().batch == 0)
      schedule_->begin_epoch(batches_->cursor().epoch + 1, updates_);
    bool more = true;
    while (more && !finished() && !interrupted) {
      more = next_batches();
      if (!group_.empty()) make_update();
      interrupted = agree_to_stop(stop_requested());
    }
    if (!more) end_epoch();
  }
  // Not one of the schedule's: a run that goes on from here must not differ from one that never
  // stopped.
  if (!interrupted && validated_at_ != updates_) measure();
  if (saved_at_ != updates_) save();
  if (report_) report_->finish();
  return {.updates = updates_,
          .epochs = batches_->cursor().epoch,
          .interrupted = interrupted,
          .reason = interrupted ? "" : end_reason(),
          .last_validation = validation_};
}

// Fills group_ with the next update's batches; false at the end of the epoch.
bool Run::next_batches() {
  group_.clear();
  Batch batch;
  while (static_cast<int64_t>(group_.size()) < options_.loop.accumulate) {
    if (!batches_->next(batch)) return false;
    group_.push_back(std::move(batch));
  }
  return true;
}

void Run::make_update() {
  const double lr = schedule_->lr();
  if (communicator_.size() == 1) {
    report(updater_->run(group_, ++updates_, lr), lr);
  } else {
    const auto share = share_of(group_, communicator_.rank(), communicator_.size());
    report(updater_->run(share, ++updates_, lr), lr);
  }
  if (average_) average_->update();
  schedule_->update(updates_);
  const int64_t every = options_.validation.every;
  if (every > 0 && updates_ % every == 0) validate();
  const bool due = options_.checkpoint.every > 0 && updates_ % options_.checkpoint.every == 0;
  if (due || (validated_at_ == updates_ && batches_->cursor().batch < batches_->batch_count()))
    save();
}

void Run::report(const UpdateResult& result, double lr) {
  if (!report_) return;
  const Cursor cursor = batches_->cursor();
  const double epoch =
      static_cast<double>(cursor.epoch) +
      static_cast<double>(cursor.batch) / static_cast<double>(batches_->batch_count());
  int64_t source_tokens = 0;
  for (const Batch& batch : group_)
    source_tokens += static_cast<int64_t>(batch.source.tokens.size());
  report_->update({.update = updates_,
                   .epoch = epoch,
                   .sums = result.sums,
                   .source_tokens = source_tokens,
                   .lr = lr,
                   .gradient_norm = result.gradient_norm,
                   .progress = progress(),
                   .last_update = options_.loop.max_updates,
                   .write = updates_ % options_.loop.log_every == 0});
}

// All end after the same update: the first that one of them is asked to end after, or at which rank
// 0's clock says so.
bool Run::agree_to_stop(bool requested) {
  const double minutes = options_.loop.max_minutes;
  const bool late = leads() && minutes > 0 && seconds_since(begin_) >= 60 * minutes;
  std::array<int64_t, 2> reasons = {requested ? 1 : 0, late ? 1 : 0};
  communicator_.all_reduce(std::span<int64_t>(reasons), Reduction::kMaximum);
  out_of_time_ = reasons[1] > 0;
  return reasons[0] > 0;
}

void Run::end_epoch() {
  if (options_.validation.every == 0) validate();
  schedule_->end_epoch(validations_.take_last(), updates_);
  save();
}

// A validation that decides: what is best, patience, and the plateau schedule.
void Run::validate() { validations_.add(measure()); }

// Validates and reports; returns the value of validation.metric.
double Run::measure() {
  if (validator_) {
    std::optional<MovingAverage::InUse> averaged;
    if (average_) averaged.emplace(*average_);
    validation_ = validator_->run(*model_);
  }
  share_validation();
  validated_at_ = updates_;
  const double value = score();
  if (report_) {
    report_->validation(
        {.update = updates_, .result = *validation_, .best = validations_.is_better(value)});
  }
  return value;
}

// The others wait for rank 0 meanwhile, and decide as it does.
void Run::share_validation() {
  const ValidationResult own = validation_.value_or(ValidationResult{});
  std::array<double, 4> numbers = {own.loss, own.nll, own.perplexity, own.bleu.value_or(0)};
  communicator_.broadcast(std::as_writable_bytes(std::span(numbers)), 0, Patience::kWhileAlive);
  validation_ = {.loss = numbers[0], .nll = numbers[1], .perplexity = numbers[2], .bleu = {}};
  if (options_.validation.bleu) validation_->bleu = numbers[3];
}

double Run::score() const {
  return options_.validation.metric == "bleu" ? *validation_->bleu : validation_->loss;
}

void Run::save() {
  saved_at_ = updates_;
  std::vector<NamedTensor> state;
  if (sharded_ != nullptr) state = sharded_->gather_state();
  if (store_) write_checkpoint(std::move(state));
  communicator_.barrier(Patience::kWhileAlive);
}

// `gathered_state`: of a sharded optimiser.
void Run::write_checkpoint(std::vector<NamedTensor> gathered_state) {
  CheckpointContents contents = contents_of(parts(), updates_, batches_->cursor());
  if (sharded_ != nullptr) contents.optimizer = std::move(gathered_state);
  contents.model.config = options_.to_toml();
  contents.model.files = data_.vocabularies();
  contents.state.numbers["data"] = identity_of(data_);
  if (validated_at_ == updates_) {
    contents.state.score = Score{.metric = options_.validation.metric,
                                 .value = score(),
                                 .larger_is_better = validations_.larger_is_better};
  }
  store_->save(std::move(contents));
}

// Which bound has been reached; empty while none is.
std::string Run::end_reason() const {
  const LoopOptions& bounds = options_.loop;
  const int64_t patience = options_.validation.patience;
  if (bounds.max_updates > 0 && updates_ >= bounds.max_updates) return "train.max_updates";
  if (bounds.max_epochs > 0 && batches_->cursor().epoch >= bounds.max_epochs) {
    return fmt::format("{} epochs (train.max_epochs)", bounds.max_epochs);
  }
  if (out_of_time_) {
    return fmt::format("{} minutes (train.max_minutes)", bounds.max_minutes);
  }
  if (patience > 0 && validations_.without_best >= patience) {
    return fmt::format("no new best in {} validations (validation.patience)", patience);
  }
  return {};
}

// The share of this process's work that is done, by the bound that comes first; 0 if unknown.
double Run::progress() const {
  const LoopOptions& bounds = options_.loop;
  double done = 0;
  if (bounds.max_updates > start_.updates) {
    done = static_cast<double>(updates_ - start_.updates) /
           static_cast<double>(bounds.max_updates - start_.updates);
  }
  if (bounds.max_epochs > 0) {
    const Cursor cursor = batches_->cursor();
    const double epochs =
        static_cast<double>(cursor.epoch) +
        static_cast<double>(cursor.batch) / static_cast<double>(batches_->batch_count());
    done = std::max(done, epochs / static_cast<double>(bounds.max_epochs));
  }
  if (bounds.max_minutes > 0)
    done = std::max(done, seconds_since(begin_) / (60 * bounds.max_minutes));
  return done;
}

}  // namespace

TrainingSummary train(TrainOptions& options, const TrainingPlaces& places,
                      Communicator& communicator, const std::function<bool()>& stop_requested) {
  // Stays until the communicator has left: what is on its way is written to the run's memory.
  std::optional<Run> run;
  together(communicator, [&] { run.emplace(options, places, communicator); });
  TrainingSummary summary;
  leave_on_error(communicator, [&] {
    run->begin();
    summary = run->loop(stop_requested);
  });
  return summary;
}

TrainingSummary train(TrainOptions& options, const TrainingPlaces& places,
                      const std::function<bool()>& stop_requested) {
  SingleProcess alone;
  return train(options, places, alone, stop_requested);
}

}  // namespace skein
