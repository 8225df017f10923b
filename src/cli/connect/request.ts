import type { Command } from 'commander'
import type { Listing, Service } from '../../model/ports/service.ts'
import type { ServiceError } from '../../model/service/service-error.ts'
import type { Result } from '../../std/result.ts'
import { EXIT, failUsage, failWith, jsonText, reportFindings, textTable } from '../terminal/io.ts'
import type { ExitCode, Io } from '../terminal/io.ts'
import { connectService, withConnectOptions, type ConnectOptions } from './service.ts'

export const addRequestCommand = (parent: Command, name: string, description: string): Command =>
  withConnectOptions(parent.command(name).description(description)).option('--json', 'print JSON')

type Request<Value> = Readonly<{
  send: (service: Service, signal: AbortSignal) => Promise<Result<Value, ServiceError>>
  json: (answer: Value) => unknown
  text: (answer: Value) => string
  /** What the answer leaves out; any makes the exit code `findings`. */
  problems?: (answer: Value) => readonly string[]
}>

export async function printAnswer<Value>(
  options: ConnectOptions,
  io: Io,
  { send, json, text, problems = () => [] }: Request<Value>,
): Promise<ExitCode> {
  const service = connectService(options, io)
  if (!service.ok) return failUsage(io, ...service.error)
  const answer = await send(service.value, io.signal)
  if (!answer.ok) return failWith(io, answer.error)
  io.out(options.json ? jsonText(json(answer.value)) : text(answer.value))
  const leftOut = problems(answer.value)
  if (!options.json) return reportFindings(io, leftOut)
  return leftOut.length === 0 ? EXIT.ok : EXIT.findings
}

type ListRequest<Item> = Pick<Request<Listing<Item>>, 'send'> & {
  readonly name: string
  readonly json: (item: Item) => unknown
  readonly columns: Readonly<Record<string, (item: Item) => string>>
}

export const printList = <Item>(
  options: ConnectOptions,
  io: Io,
  { send, name, json, columns }: ListRequest<Item>,
): Promise<ExitCode> =>
  printAnswer(options, io, {
    send,
    json: ({ items, problems }) => ({ [name]: items.map(json), problems }),
    text: ({ items }) => {
      const rows = items.map((item) => Object.values(columns).map((cell) => cell(item)))
      return textTable(Object.keys(columns), rows)
    },
    problems: (listed) => listed.problems,
  })
