// Commands run in this process, against the API of a daemon.
import { TOKENS, type ChangesDaemon } from '../support/changes-daemon.ts'
import { dormouse } from './local-cli.ts'

type Person = Readonly<{
  /** Default: that of ann. */
  token?: string
  confirm?: (question: string) => Promise<boolean>
}>

/** Runs `dormouse words…` for a person. */
export const cliOf =
  ({ apiUrl }: Pick<ChangesDaemon, 'apiUrl'>, { token = TOKENS.ann, ...person }: Person = {}) =>
  (...words: readonly string[]) =>
    dormouse([...words, '--url', apiUrl], { env: { DORMOUSE_TOKEN: token }, ...person })
