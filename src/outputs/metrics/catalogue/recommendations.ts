import { ofAll, ofCompute } from './family.ts'

const { basicGauge, gauge } = ofCompute

export const RECOMMENDATION_FAMILIES = {
  recommendation_info: basicGauge(
    'Always 1; an open recommendation: whether applying it restarts the compute, and how sure it is: low, medium or high.',
    'kind restarts confidence',
  ),
  recommendation_saving_per_month: basicGauge(
    'Saving in 30 days if the recommendation is implemented, the likely value; negative: it costs more.',
    'kind currency',
  ),
  recommendation_cu_min: gauge('Recommended least size; a fixed size is both limits.', 'kind'),
  recommendation_cu_max: gauge('Recommended largest size; a fixed size is both limits.', 'kind'),
  recommendation_delay_seconds: gauge(
    'Recommended autosuspend delay; absent where autosuspend off is recommended.',
    'kind',
  ),
  recommendation_first_seen_timestamp_seconds: gauge('When the recommendation was opened.', 'kind'),
  recommendations: ofAll.basicGauge(
    'Recommendations by state: open, implemented (while it is followed up), dismissed.',
    'account kind state',
  ),
  recommendation_withheld: ofAll.gauge(
    'Computes without a recommendation of a kind, by the reason; absent when there are none.',
    'account kind because',
  ),
  saving_available_per_month: ofAll.basicGauge(
    'Saving in 30 days with all open recommendations applied together, the likely value.',
    'account currency',
  ),
  saving_predicted_per_month: ofAll.basicGauge(
    'Saving in 30 days that was likely of the recommendations whose follow-up ended in the last 28 days.',
    'kind currency',
  ),
  saving_realised_per_month: ofAll.basicGauge(
    'Saving in 30 days that came of the same recommendations.',
    'kind currency',
  ),
}
