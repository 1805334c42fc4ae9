#include "audit/writer.h"

#include "audit/writer_work.h"

namespace sluice::audit {

Writer::Writer(Ports ports, WriterOptions options)
    : work_(std::make_shared<Work>(std::move(ports), std::move(options))) {
  work_->start();
}

Writer::~Writer() { stop(std::chrono::seconds(5)); }

void Writer::stop(std::chrono::milliseconds deadline) { work_->stop(deadline); }

WriterStatus Writer::status() const { return work_->status(); }

}  // namespace sluice::audit
