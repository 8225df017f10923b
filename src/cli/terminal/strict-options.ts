// What holds for every command: no value comes twice, and none is empty. A script with an unset variable is told so.
import type { Command, Option } from 'commander'

/** For the whole program, once all of its commands are known. */
export function rejectRepeatedAndEmpty(program: Command): void {
  program.hook('preAction', (_, command) => refuseEmpty(command))
  for (const command of commandsOf(program))
    for (const option of command.options) if (option.required) watch(command, option)
}

const commandsOf = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap((inner) => commandsOf(inner)),
]

function watch(command: Command, { flags, long }: Option): void {
  let isGiven = false
  command.on(`option:${long?.slice(2) ?? flags}`, (value: string) => {
    if (isGiven) command.error(`error: option '${flags}' is given twice`)
    if (value === '') command.error(`error: option '${flags}' argument is empty`)
    isGiven = true
  })
}

function refuseEmpty(command: Command): void {
  for (const [place, value] of command.args.entries())
    if (value === '')
      command.error(`error: argument '${command.registeredArguments[place]?.name() ?? ''}' is empty`)
}
