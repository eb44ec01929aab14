from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('campaigns', '0002_states_as_differences'),
    ]

    operations = [
        migrations.AddField(
            model_name='take',
            name='proposal_status',
            field=models.CharField(choices=[('accepted', 'Accepted'), ('partially_accepted', 'Partially accepted'), ('rejected', 'Rejected'), ('unparseable', 'Could not be read'), ('none', 'None')], default='none', max_length=20),
        ),
        migrations.AddField(
            model_name='take',
            name='proposal_way',
            field=models.CharField(choices=[('block', 'A block in the narration'), ('call', 'A call of its own'), ('edit', 'An edit'), ('correction', 'A correction'), ('setup', "The campaign's setup")], max_length=12, null=True),
        ),
    ]
