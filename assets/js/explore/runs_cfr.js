// CFR in the form of runs: λ and the map belong to a variant, and a map to those that read one.

/**
 * The settings of CFR as a run is asked with them: what is out of sight is left out.
 * @param {Record<string, any>} fields
 * @param {Api.CfrVariant[]} variants
 * @param {boolean} stored whether existing images are scored, which CFR cannot change
 */
export function cfrOf(fields, variants, stored) {
  const variant = stored ? undefined : variants.find((item) => item.id === fields.cfr);
  return {
    cfr: variant ? variant.id : '',
    cfr_strength: variant?.strength ? fields.cfr_strength : '',
    cfr_map: variant?.map ? fields.cfr_map : '',
  };
}

/**
 * Shows the fields that the variant reads.
 * @param {Element} form
 * @param {{ cfr: string, cfr_strength: string, cfr_map: string }} sent
 * @param {Api.CfrVariant[]} variants
 */
export function showCfr(form, sent, variants) {
  const variant = variants.find((item) => item.id === sent.cfr);
  form.querySelector('.th-runs-cfr').classList.toggle('th-off', !variant?.strength);
  form.querySelector('[data-field=cfr_map]').classList.toggle('th-off', !variant?.map);
}
