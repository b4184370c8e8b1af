// The page's texts in German.

/** @type {Record<string, string>} */
export const words = {
  study: 'Studie',
  no_answer:
    'Die Studie ist gerade nicht erreichbar. Bitte prüfen Sie Ihre Internetverbindung. Die Seite versucht es automatisch erneut.',
  try_again: 'Erneut versuchen',
  unknown_title: 'Dieser Link führt zu keiner Studie',
  unknown_text:
    'Möglicherweise wurde er unvollständig kopiert, oder er ist nicht mehr gültig. Bitte wenden Sie sich an die Person, die ihn Ihnen geschickt hat.',
  draft_title: 'Diese Studie hat noch nicht begonnen',
  draft_text: 'Bitte öffnen Sie denselben Link später noch einmal.',
  paused_title: 'Diese Studie ist zurzeit unterbrochen',
  paused_text:
    'Bitte öffnen Sie denselben Link später noch einmal. Ihre bisherigen Antworten sind gespeichert.',
  closed_title: 'Diese Studie ist beendet',
  closed_text: 'Es werden keine Antworten mehr angenommen. Vielen Dank für Ihr Interesse.',
  full_title: 'Zurzeit sind alle Plätze belegt',
  full_text:
    'Später kann wieder ein Platz frei werden. Bitte öffnen Sie dann denselben Link noch einmal.',
  elsewhere_title: 'Dieser Link wurde bereits verwendet',
  elsewhere_text:
    'Er gilt für eine Person, und diese hat die Studie in einem anderen Browser begonnen.',
  session_title: 'Sie haben diese Studie bereits begonnen',
  session_text:
    'Sie haben die Studie in einer anderen Sitzung der Website begonnen, über die Sie gekommen sind. Bitte machen Sie dort weiter, oder wenden Sie sich an die Studienleitung.',
  twice_title: 'Die Studie ist bereits in einem anderen Tab geöffnet',
  twice_text:
    'Bitte machen Sie nur in einem Tab weiter, damit keine Antwort doppelt abgegeben wird.',
  twice_here: 'Hier weitermachen',
  moved_title: 'Die Studie wird in einem anderen Tab fortgesetzt',
  moved_text: 'Diesen Tab können Sie schließen.',
  lost_title: 'Die Studie kann in diesem Browser nicht fortgesetzt werden',
  lost_text:
    'Die Cookies wurden gelöscht oder sind nicht erlaubt. Bitte öffnen Sie den Link noch einmal. Wenn das nicht hilft, wenden Sie sich an die Person, die ihn Ihnen geschickt hat.',
  preview: 'Vorschau: Es wird nichts gespeichert',
  continue: 'Weiter',
  start: 'Beginnen',

  consent_title: 'Einwilligung zur Teilnahme',
  consent_version: 'Version {version}',
  agree: 'Ich stimme zu',
  disagree: 'Ich stimme nicht zu',
  declined_title: 'Sie nehmen nicht teil',
  declined_text: 'Es wurden keine Daten über Sie gespeichert. Sie können diese Seite schließen.',
  declined_back: 'Zurück zum Text',

  plates_title: 'Welche Ziffer sehen Sie?',
  plates_help: 'Geben Sie die Ziffer ein, oder wählen Sie sie aus. Überlegen Sie nicht lange.',
  plates_none: 'Keine Ziffer',
  plates_alt: 'Eine Scheibe aus Punkten, auf der eine Ziffer zu sehen sein kann',
  plates_count: 'Bild {n} von {of}',
  patches_title: 'In welchem Viertel hebt sich ein Quadrat leicht ab?',
  patches_help:
    'Schauen Sie genau hin, und wählen Sie eines der vier Viertel. Bitte stellen Sie Ihren Bildschirm auf die übliche Helligkeit ein.',
  patches_none: 'Kein Quadrat zu sehen',
  patches_part: 'Viertel {n}',

  instructions_title: 'Ihre Aufgabe',
  welcome_back: 'Willkommen zurück',
  welcome_back_text:
    '{n} von {of} sind erledigt und gespeichert. Sie machen dort weiter, wo Sie aufgehört haben.',

  progress: '{n} von {of}',
  picture_missing:
    'Die Bilder sind noch nicht verfügbar. Die Seite versucht es automatisch erneut.',
  waiting: 'Einen Moment, bitte …',

  unsent_one: 'Noch nicht gesendet: 1 Antwort. Bitte lassen Sie diese Seite geöffnet.',
  unsent: 'Noch nicht gesendet: {n} Antworten. Bitte lassen Sie diese Seite geöffnet.',
  refused_one: '1 Antwort wurde nicht angenommen: {error}',
  refused: '{n} Antworten wurden nicht angenommen: {error}',

  comment_title: 'Das war alles',
  comment_note: 'Sie können die Seite jetzt auch einfach schließen.',
  comment_label: 'Möchten Sie uns noch etwas mitteilen? (freiwillig)',
  finish: 'Abschließen',
  saving: 'Ihre Antworten werden gespeichert …',
  finished_title: 'Vielen Dank',
  finished_text: 'Alle Ihre Antworten sind gespeichert. Sie können diese Seite schließen.',
  withheld_text:
    'Ihre Antworten waren schneller, als es einem Menschen möglich ist. Deshalb wird der Abschlusscode nicht angezeigt. Falls Sie die Studie selbst bearbeitet haben, schreiben Sie bitte der Person, die Ihnen den Link geschickt hat.',
  code_label: 'Ihr Code',
  copy: 'Kopieren',
  copied: 'Kopiert',
  return: 'Zurück zur Website',

  withdraw: 'Abbrechen',
  withdraw_title: 'Teilnahme beenden?',
  withdraw_text:
    'Sie können diese Seite auch einfach schließen und später mit demselben Link weitermachen. Wenn Sie die Teilnahme beenden, können Sie nicht mehr zurückkehren. Wenn Ihre Antworten gelöscht werden sollen, wenden Sie sich an die Person, die Ihnen den Link geschickt hat.',
  withdraw_yes: 'Teilnahme beenden',
  withdraw_no: 'Weitermachen',
  screened_out_title: 'Sie können an dieser Studie leider nicht teilnehmen',
  screened_out_text:
    'Ihre ersten Antworten zeigen, dass eine Teilnahme für Sie oder mit diesem Bildschirm nicht möglich ist. Vielen Dank für Ihre Zeit.',
  failed_checks_title: 'Die Studie endet hier für Sie',
  failed_checks_text:
    'Zu viele Kontroll- oder Übungsaufgaben wurden falsch beantwortet. Vielen Dank für Ihre Zeit.',
  timed_out_title: 'Die Zeit ist abgelaufen',
  timed_out_text: 'Ihre bisherigen Antworten sind gespeichert. Vielen Dank für Ihre Zeit.',
  time_limit: 'Zeitlimit: {n} min ab Ihrer Einwilligung.',
  input_recorded:
    'Um Programme zu erkennen, die anstelle von Menschen antworten, speichert diese Seite zu jeder Antwort auch einige Zahlen: wie sich die Maus davor bewegt hat, wie lange eine Taste gedrückt war und ob der Browser angibt, von einem Programm gesteuert zu werden. Sie speichert keine Positionen und nichts, woran man Sie erkennt.',
  returning: 'Sie werden in {n} Sekunden zur Website zurückgeleitet.',
  stay: 'Auf dieser Seite bleiben',
  withdrawn_title: 'Sie haben die Teilnahme beendet',
  withdrawn_text: 'Vielen Dank für Ihre Zeit. Sie können diese Seite schließen.',
};
