// What the page says in German.

/** @type {Record<string, string>} */
export const words = {
  study: 'Studie',
  no_answer:
    'Die Studie antwortet nicht. Bitte prüfen Sie die Verbindung: Die Seite versucht es von selbst weiter.',
  try_again: 'Erneut versuchen',
  unknown_title: 'Dieser Link führt zu keiner Studie',
  unknown_text:
    'Vielleicht wurde er nur zum Teil kopiert, oder er gilt nicht mehr. Bitte fragen Sie, wer ihn Ihnen geschickt hat.',
  draft_title: 'Diese Studie hat noch nicht begonnen',
  draft_text: 'Bitte kommen Sie später wieder, mit demselben Link.',
  paused_title: 'Diese Studie macht eine Pause',
  paused_text:
    'Bitte kommen Sie später wieder, mit demselben Link. Ihre bisherigen Antworten sind gespeichert.',
  closed_title: 'Diese Studie ist beendet',
  closed_text: 'Sie nimmt keine Antworten mehr an. Danke für Ihr Interesse.',
  full_title: 'Diese Studie ist im Moment voll',
  full_text: 'Später kann ein Platz frei werden: Kommen Sie mit demselben Link wieder.',
  elsewhere_title: 'Dieser Link wurde schon benutzt',
  elsewhere_text: 'Er ist für eine Person, die in einem anderen Browser begonnen hat.',
  session_title: 'Sie haben diese Studie schon begonnen',
  session_text:
    'Sie haben in einer anderen Sitzung der Seite begonnen, die Sie geschickt hat. Machen Sie dort weiter, oder fragen Sie, wer die Studie durchführt.',
  twice_title: 'Die Studie ist in einem anderen Tab offen',
  twice_text:
    'Bitte machen Sie nur in einem davon weiter, damit keine Antwort doppelt gegeben wird.',
  twice_here: 'Hier weitermachen',
  moved_title: 'Die Studie geht in einem anderen Tab weiter',
  moved_text: 'Diesen können Sie schließen.',
  lost_title: 'Dieser Browser kennt Sie nicht mehr',
  lost_text:
    'Seine Cookies wurden gelöscht oder sind nicht erlaubt. Bitte öffnen Sie den Link noch einmal. Hilft das nicht, fragen Sie, wer ihn Ihnen geschickt hat.',
  preview: 'Vorschau: nichts wird gespeichert',
  continue: 'Weiter',
  start: 'Beginnen',

  consent_title: 'Bevor Sie teilnehmen',
  consent_version: 'Fassung {version}',
  agree: 'Ich stimme zu',
  disagree: 'Ich stimme nicht zu',
  declined_title: 'Sie nehmen nicht teil',
  declined_text: 'Über Sie wurde nichts gespeichert. Sie können diese Seite schließen.',
  declined_back: 'Zurück zum Text',

  plates_title: 'Welche Ziffer sehen Sie?',
  plates_help: 'Tippen oder wählen Sie sie. Überlegen Sie nicht lange.',
  plates_none: 'Keine Ziffer',
  plates_alt: 'Eine Scheibe aus Punkten, die eine Ziffer zeigen kann',
  plates_count: 'Bild {n} von {of}',
  patches_title: 'In welchem Viertel ist ein etwas anderes Quadrat?',
  patches_help:
    'Schauen Sie genau hin und wählen Sie eines der vier Viertel. Bitte stellen Sie Ihren Bildschirm auf eine übliche Helligkeit.',
  patches_none: 'Nirgends ein Quadrat',
  patches_part: 'Viertel {n}',

  instructions_title: 'Was zu tun ist',
  welcome_back: 'Willkommen zurück',
  welcome_back_text: '{n} von {of} sind fertig und gespeichert. Es geht dort weiter, wo Sie waren.',

  progress: '{n} von {of}',
  picture_missing: 'Die Bilder sind noch nicht da. Die Seite versucht es von selbst weiter.',
  waiting: 'Einen Moment …',

  unsent_one: 'Noch nicht gesendet: 1 Antwort. Bitte lassen Sie die Seite offen.',
  unsent: 'Noch nicht gesendet: {n} Antworten. Bitte lassen Sie die Seite offen.',
  refused_one: '1 Antwort wurde nicht angenommen: {error}',
  refused: '{n} Antworten wurden nicht angenommen: {error}',

  comment_title: 'Das war alles',
  comment_label: 'Möchten Sie uns noch etwas sagen? (freiwillig)',
  finish: 'Abschließen',
  saving: 'Ihre Antworten werden gespeichert …',
  finished_title: 'Danke',
  finished_text: 'Alle Ihre Antworten sind gespeichert. Sie können diese Seite schließen.',
  withheld_text:
    'Ihre Antworten kamen schneller an, als ein Mensch antworten kann. Deshalb wird der Code zum Abschluss nicht gezeigt. Wenn Sie die Studie selbst beantwortet haben, schreiben Sie bitte der Person, die Ihnen den Link geschickt hat.',
  code_label: 'Ihr Code zum Abschluss',
  copy: 'Kopieren',
  copied: 'Kopiert',
  return: 'Abschließen und zurück',

  withdraw: 'Abbrechen',
  withdraw_title: 'Nicht weiter teilnehmen?',
  withdraw_text:
    'Sie können die Seite auch einfach schließen und später mit demselben Link weitermachen. Wenn Sie die Teilnahme beenden, können Sie nicht zurückkommen. Sollen Ihre Antworten gelöscht werden, sagen Sie es denen, die Ihnen den Link geschickt haben.',
  withdraw_yes: 'Teilnahme beenden',
  withdraw_no: 'Weitermachen',
  withdrawn_title: 'Sie haben abgebrochen',
  withdrawn_text: 'Danke für Ihre Zeit. Sie können diese Seite schließen.',
};
