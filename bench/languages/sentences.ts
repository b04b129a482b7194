/** Six things to remember and to ask for, in twelve languages. The same in each, in the same order. */

export interface Said {
  readonly memory: string;
  readonly question: string;
}

const of = (...pairs: readonly (readonly [memory: string, question: string])[]): readonly Said[] =>
  pairs.map(([memory, question]) => ({ memory, question }));

export const LANGUAGES = {
  English: of(
    ['The spare key lies under the blue flower pot.', 'Where is the spare key?'],
    ['My sister works as a doctor in the hospital.', 'What is the job of my sister?'],
    ['I am allergic to peanuts and must not eat them.', 'Which food am I allergic to?'],
    ['The train to the sea leaves at seven in the morning.', 'When does the train leave?'],
    ['Our dog is afraid of thunder.', 'What is the dog afraid of?'],
    ['On Fridays I play chess with my grandfather.', 'What do I play with my grandfather?'],
  ),
  German: of(
    ['Der Ersatzschlüssel liegt unter dem blauen Blumentopf.', 'Wo ist der Ersatzschlüssel?'],
    ['Meine Schwester arbeitet als Ärztin im Krankenhaus.', 'Welchen Beruf hat meine Schwester?'],
    ['Ich bin allergisch gegen Erdnüsse und darf sie nicht essen.', 'Gegen welches Essen bin ich allergisch?'],
    ['Der Zug ans Meer fährt um sieben Uhr morgens ab.', 'Wann fährt der Zug?'],
    ['Unser Hund hat Angst vor Donner.', 'Wovor hat der Hund Angst?'],
    ['Freitags spiele ich Schach mit meinem Großvater.', 'Was spiele ich mit meinem Großvater?'],
  ),
  French: of(
    ['La clé de secours est sous le pot de fleurs bleu.', 'Où est la clé de secours ?'],
    ['Ma sœur travaille comme médecin à l’hôpital.', 'Quel est le métier de ma sœur ?'],
    ['Je suis allergique aux cacahuètes et je ne dois pas en manger.', 'À quel aliment suis-je allergique ?'],
    ['Le train pour la mer part à sept heures du matin.', 'Quand part le train ?'],
    ['Notre chien a peur du tonnerre.', 'De quoi le chien a-t-il peur ?'],
    ['Le vendredi je joue aux échecs avec mon grand-père.', 'À quoi est-ce que je joue avec mon grand-père ?'],
  ),
  Spanish: of(
    ['La llave de repuesto está debajo de la maceta azul.', '¿Dónde está la llave de repuesto?'],
    ['Mi hermana trabaja como médica en el hospital.', '¿Qué trabajo tiene mi hermana?'],
    ['Soy alérgico a los cacahuetes y no debo comerlos.', '¿A qué comida soy alérgico?'],
    ['El tren al mar sale a las siete de la mañana.', '¿Cuándo sale el tren?'],
    ['Nuestro perro tiene miedo a los truenos.', '¿A qué tiene miedo el perro?'],
    ['Los viernes juego al ajedrez con mi abuelo.', '¿A qué juego con mi abuelo?'],
  ),
  Russian: of(
    ['Запасной ключ лежит под синим цветочным горшком.', 'Где запасной ключ?'],
    ['Моя сестра работает врачом в больнице.', 'Кем работает моя сестра?'],
    ['У меня аллергия на арахис, мне нельзя его есть.', 'На какую еду у меня аллергия?'],
    ['Поезд к морю отправляется в семь утра.', 'Когда отправляется поезд?'],
    ['Наша собака боится грома.', 'Чего боится собака?'],
    ['По пятницам я играю в шахматы с дедушкой.', 'Во что я играю с дедушкой?'],
  ),
  Turkish: of(
    ['Yedek anahtar mavi saksının altında.', 'Yedek anahtar nerede?'],
    ['Kız kardeşim hastanede doktor olarak çalışıyor.', 'Kız kardeşimin mesleği ne?'],
    ['Yer fıstığına alerjim var, yememem gerekiyor.', 'Hangi yiyeceğe alerjim var?'],
    ['Denize giden tren sabah yedide kalkıyor.', 'Tren ne zaman kalkıyor?'],
    ['Köpeğimiz gök gürültüsünden korkuyor.', 'Köpek neden korkuyor?'],
    ['Cuma günleri dedemle satranç oynuyorum.', 'Dedemle ne oynuyorum?'],
  ),
  Arabic: of(
    ['المفتاح الاحتياطي تحت أصيص الزهور الأزرق.', 'أين المفتاح الاحتياطي؟'],
    ['تعمل أختي طبيبة في المستشفى.', 'ما هي مهنة أختي؟'],
    ['لدي حساسية من الفول السوداني ولا يجوز أن آكله.', 'من أي طعام لدي حساسية؟'],
    ['يغادر القطار إلى البحر في السابعة صباحًا.', 'متى يغادر القطار؟'],
    ['كلبنا يخاف من الرعد.', 'مم يخاف الكلب؟'],
    ['ألعب الشطرنج مع جدي كل يوم جمعة.', 'ماذا ألعب مع جدي؟'],
  ),
  Hindi: of(
    ['अतिरिक्त चाबी नीले गमले के नीचे है।', 'अतिरिक्त चाबी कहाँ है?'],
    ['मेरी बहन अस्पताल में डॉक्टर है।', 'मेरी बहन क्या काम करती है?'],
    ['मुझे मूंगफली से एलर्जी है, मैं उसे नहीं खा सकता।', 'मुझे किस खाने से एलर्जी है?'],
    ['समुद्र जाने वाली ट्रेन सुबह सात बजे निकलती है।', 'ट्रेन कब निकलती है?'],
    ['हमारा कुत्ता बादल की गरज से डरता है।', 'कुत्ता किससे डरता है?'],
    ['हर शुक्रवार मैं दादाजी के साथ शतरंज खेलता हूँ।', 'मैं दादाजी के साथ क्या खेलता हूँ?'],
  ),
  Chinese: of(
    ['备用钥匙放在蓝色花盆下面。', '备用钥匙在哪里？'],
    ['我姐姐在医院当医生。', '我姐姐是做什么工作的？'],
    ['我对花生过敏，不能吃花生。', '我对什么食物过敏？'],
    ['去海边的火车早上七点出发。', '火车什么时候出发？'],
    ['我们家的狗害怕打雷。', '狗害怕什么？'],
    ['每个星期五我和爷爷下象棋。', '我和爷爷玩什么？'],
  ),
  Japanese: of(
    ['予備の鍵は青い植木鉢の下にあります。', '予備の鍵はどこですか？'],
    ['姉は病院で医者として働いています。', '姉の仕事は何ですか？'],
    ['私はピーナッツアレルギーなので食べられません。', '私は何のアレルギーですか？'],
    ['海へ行く電車は朝七時に出発します。', '電車はいつ出発しますか？'],
    ['うちの犬は雷を怖がります。', '犬は何を怖がりますか？'],
    ['金曜日に祖父と将棋をします。', '祖父と何をしますか？'],
  ),
  Korean: of(
    ['여분의 열쇠는 파란 화분 밑에 있다.', '여분의 열쇠는 어디에 있어?'],
    ['누나는 병원에서 의사로 일한다.', '누나의 직업은 뭐야?'],
    ['나는 땅콩 알레르기가 있어서 먹으면 안 된다.', '나는 어떤 음식에 알레르기가 있어?'],
    ['바다로 가는 기차는 아침 일곱 시에 출발한다.', '기차는 언제 출발해?'],
    ['우리 개는 천둥을 무서워한다.', '개는 무엇을 무서워해?'],
    ['금요일마다 할아버지와 체스를 둔다.', '할아버지와 무엇을 해?'],
  ),
  Thai: of(
    ['กุญแจสำรองอยู่ใต้กระถางดอกไม้สีฟ้า', 'กุญแจสำรองอยู่ที่ไหน'],
    ['พี่สาวของฉันทำงานเป็นหมอในโรงพยาบาล', 'พี่สาวของฉันทำงานอะไร'],
    ['ฉันแพ้ถั่วลิสงและห้ามกิน', 'ฉันแพ้อาหารอะไร'],
    ['รถไฟไปทะเลออกตอนเจ็ดโมงเช้า', 'รถไฟออกเมื่อไหร่'],
    ['สุนัขของเรากลัวเสียงฟ้าร้อง', 'สุนัขกลัวอะไร'],
    ['ทุกวันศุกร์ฉันเล่นหมากรุกกับคุณปู่', 'ฉันเล่นอะไรกับคุณปู่'],
  ),
} as const satisfies Record<string, readonly Said[]>;

export type Language = keyof typeof LANGUAGES;
