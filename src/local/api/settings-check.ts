import type { PgSettings } from '../control/project.ts'
import { settingsRefusal } from '../control/requests/pg-settings.ts'
import type { Api, Call } from './context.ts'
import { errorAnswer } from './errors.ts'

/** The answer when the service or a server does not take these settings (S-115); undefined when they are fine. */
export async function settingsAnswer(
  call: Call,
  asked: { readonly settings: PgSettings | undefined; readonly place: string },
  api: Pick<Api, 'settings' | 'checkSettings'>,
): Promise<Response | undefined> {
  if (!asked.settings) return undefined
  const { invalid } = api.settings().errors
  const problem = settingsRefusal(asked.settings, asked.place)
  if (problem) return errorAnswer(call, invalid, problem)
  const refused = await api.checkSettings(asked.settings)
  return refused === undefined ? undefined : errorAnswer(call, invalid, `${asked.place}.${refused}`)
}
