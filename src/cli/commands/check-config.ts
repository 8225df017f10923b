import { Command } from 'commander'
import { configText } from '../../config/defaults.ts'
import type { Config } from '../../config/load.ts'
import { secretFileWarnings } from '../../config/secret-files.ts'
import { createClock } from '../../daemon/clock.ts'
import { createSink } from '../../daemon/notify/sinks.ts'
import { createRandom } from '../../daemon/random.ts'
import type { Message } from '../../model/output/message.ts'
import { CONFIG_TEXT, readConfiguration } from '../connect/configuration.ts'
import { EXIT, failUsage, jsonText, type CommandSession, type ExitCode, type Io } from '../terminal/io.ts'

type Options = Readonly<{ config?: string; json?: boolean; sendTest?: string }>

export const createCheckConfigCommand = ({ io, end }: CommandSession) =>
  new Command('check-config')
    .description('print all problems of a configuration, or the configuration in effect')
    .option('--config <file>', CONFIG_TEXT)
    .option(
      '--send-test <receiver>',
      'send a test to a receiver of notifications or reports, and print the outcome',
    )
    .option('--json', 'print JSON')
    .action((options: Options) => end(checkConfig(options, io)))

async function checkConfig(options: Options, io: Io) {
  const loaded = readConfiguration(options.config, io)
  if (loaded.ok) {
    const { config } = loaded.value
    const effective = loaded.value.effective()
    if (options.sendTest !== undefined) return testReceiver(config, options, io)
    const warnings = [...secretFileWarnings(config), ...loaded.value.warnings(createClock().now())]
    if (!options.json) for (const warning of warnings) io.err(`dormouse: warning: ${warning}`)
    io.out(
      options.json ? jsonText({ ok: true, warnings, config: effective }) : `ok\n\n${configText(effective)}`,
    )
    return EXIT.ok
  }
  if (!options.json) return failUsage(io, ...loaded.error)
  io.out(jsonText({ ok: false, problems: loaded.error }))
  return EXIT.usage
}

async function testReceiver(
  { notifications, report }: Config,
  { sendTest: name = '', json: isJson }: Options,
  io: Io,
) {
  const fail = (problem: string, code: ExitCode): ExitCode => {
    if (isJson) io.out(jsonText({ ok: false, problems: [problem] }))
    else io.err(`dormouse: ${problem}`)
    return code
  }
  const receivers = [...notifications, ...report.sinks]
  const configured = receivers.find((candidate) => candidate.name === name)
  if (!configured) {
    const names = receivers.map((candidate) => candidate.name).join(', ')
    const expected = names || 'notifications or report.sinks: there are none'
    return fail(`--send-test: expected one of ${expected}, got ${name}`, EXIT.usage)
  }
  const text = 'This is a test of Dormouse: this receiver is reached.'
  const message: Message = {
    key: `test/${createRandom().uuid()}`,
    account: 'test',
    slot: 'test',
    subject: 'Test of Dormouse',
    text,
    body: { version: 1, kind: 'test', text },
    attachments: [],
  }
  const sent = await createSink(configured.receiver, createClock())(message, io.signal)
  if (sent.kind !== 'delivered') return fail(`${name}: ${sent.because}`, EXIT.failed)
  io.out(isJson ? jsonText({ ok: true, delivered: name }) : `${name}: delivered`)
  return EXIT.ok
}
