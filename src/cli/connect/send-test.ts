// One message to one receiver, to see whether it arrives.
import type { Config } from '../../config/load.ts'
import { createClock } from '../../daemon/clock.ts'
import { createRandom } from '../../daemon/random.ts'
import { createSink } from '../../daemon/notify/sinks.ts'
import type { Message, DeliveryOutcome } from '../../model/output/message.ts'
import { failed, ok, type Result } from '../../std/result.ts'

/** The problem: there is no receiver of that name. */
export async function sendTest(
  { notifications, report }: Pick<Config, 'notifications' | 'report'>,
  name: string,
  signal: AbortSignal,
): Promise<Result<DeliveryOutcome, string>> {
  const all = [...notifications, ...report.sinks]
  const found = all.find((one) => one.name === name)
  if (!found) {
    const names = all.map((one) => one.name).join(', ')
    return failed(
      `--send-test: expected one of ${names || 'notifications or report.sinks: there are none'}, got ${name}`,
    )
  }
  const says = 'This is a test of Dormouse: whoever reads it is reached.'
  const message: Message = {
    key: `test/${createRandom().uuid()}`,
    account: 'test',
    slot: 'test',
    subject: 'Test of Dormouse',
    text: says,
    body: { version: 1, kind: 'test', text: says },
    attachments: [],
  }
  return ok(await createSink(found.receiver, createClock())(message, signal))
}
