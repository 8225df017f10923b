import { seconds } from '../../src/model/units.ts'

/** The poll plan of a configuration that says nothing. */
export const POLL = {
  requests: 350,
  interval: seconds(60),
  maxAge: seconds(900),
  history: seconds(60 * 86_400),
  listLag: seconds(60),
}
